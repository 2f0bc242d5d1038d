import { testShortFaults } from './short-faults.ts';

testShortFaults(({ loadsTheMachine = false }) => !loadsTheMachine);
