/** The Dockerfile as its build would read it. */
import { DockerfileParser, type Instruction, type JSONInstruction } from 'dockerfile-ast';
import { read } from './files.ts';

const dockerfile = DockerfileParser.parse(read('Dockerfile'));

const textOf = (instruction: Instruction): string =>
  instruction
    .getArguments()
    .map((argument) => argument.getValue())
    .join(' ');

/** The instructions of a stage by the order of its FROM. */
export interface Stage {
  readonly base: string;
  readonly instructions: readonly {
    readonly keyword: string;
    readonly text: string;
    readonly words: readonly string[];
  }[];
}

const stages: { base: string; instructions: Stage['instructions'][number][] }[] = [];
for (const instruction of dockerfile.getInstructions()) {
  const keyword = instruction.getKeyword();
  if (keyword === 'FROM') stages.push({ base: textOf(instruction), instructions: [] });
  const json = (instruction as Partial<JSONInstruction>).getJSONStrings?.() ?? [];
  const words = json.map((string) => JSON.parse(string.getValue()) as string);
  stages.at(-1)?.instructions.push({ keyword, text: textOf(instruction), words });
}

const last = stages.at(-1)?.instructions ?? [];
const only = (keyword: string) => last.filter((instruction) => instruction.keyword === keyword);

/** What the last stage makes of the image. */
export const image = {
  stages: stages as readonly Stage[],
  /** Commands of the build, in order. */
  steps: (stages[0]?.instructions ?? []).filter(({ keyword }) => keyword === 'RUN').map(({ text }) => text),
  base: stages.at(-1)?.base ?? '',
  /** From the build's path to the image's. */
  copies: only('COPY').map(({ text }) => text.split(' ')),
  environment: Object.fromEntries(
    only('ENV').flatMap(({ text }) => text.split(' ').map((pair) => pair.split('='))),
  ) as Record<string, string>,
  workdir: only('WORKDIR')[0]?.text ?? '/',
  user: only('USER')[0]?.text ?? 'root',
  ports: only('EXPOSE').map(({ text }) => text),
  entrypoint: only('ENTRYPOINT')[0]?.words ?? [],
  command: only('CMD')[0]?.words ?? [],
  /** What follows its `CMD`. */
  healthcheck: JSON.parse(only('HEALTHCHECK')[0]?.text.replace(/^CMD /, '') ?? '[]') as string[],
};
