import { readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';

/** The rooms of the house in order: each imports only from itself and from rooms above it in this list. */
const ROOMS = [
  'src/fault',
  'src/markdown',
  'src/snapshot',
  'src/skills',
  'src/executor',
  'src/procedures',
  'src/git',
  'src/config',
  'src/forge',
  'src/gate',
  'src/commands',
  'src/runs',
  'queues',
  'src/app',
  'src/cli',
] as const;

const root = resolve(import.meta.dirname, '../..');
const faults: string[] = [];

for (const file of [...sourcesIn('src'), ...sourcesIn('queues')]) {
  const room = roomOf(file);
  if (room < 0) faults.push(`${file} stands in no room of the house (${ROOMS.join(', ')})`);
  for (const specifier of importsOf(file)) {
    if (!specifier.startsWith('.')) continue;
    const target = relative(root, resolve(root, dirname(file), specifier));
    if (roomOf(target) > room)
      faults.push(`${file} imports ${target}: a room may import only from rooms above it`);
  }
}

for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;

function sourcesIn(folder: string): string[] {
  const names = readdirSync(resolve(root, folder), { recursive: true, encoding: 'utf8' });
  return names.filter(name => name.endsWith('.ts')).map(name => `${folder}/${name}`);
}

function roomOf(file: string): number {
  return ROOMS.findIndex(room => file.startsWith(`${room}/`));
}

function importsOf(file: string): string[] {
  const parsed = parseSync(file, readFileSync(resolve(root, file), 'utf8'));
  const { staticImports, staticExports, dynamicImports } = parsed.module;
  return [
    ...staticImports.map(found => found.moduleRequest.value),
    ...staticExports.flatMap(found => found.entries.map(entry => entry.moduleRequest?.value ?? '')),
    // Not a literal: nobody can tell where it leads, so it is not followed.
    ...dynamicImports.map(found =>
      readFileSync(resolve(root, file), 'utf8').slice(
        found.moduleRequest.start + 1,
        found.moduleRequest.end - 1,
      ),
    ),
  ];
}
