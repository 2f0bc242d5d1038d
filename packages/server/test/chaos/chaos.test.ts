import { testShortFaults } from './short-faults.ts';

testShortFaults(({ runsAlone = false }) => !runsAlone);
