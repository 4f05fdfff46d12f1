import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROUTES, WEBHOOKS } from '../test/twin/openapi/served.ts';
import { correctDefinitions, correctRoutes } from './openapi/correct-description.ts';
import { type Json, pruneSchema, type Schema } from './openapi/prune-schema.ts';
import { shareRepeated } from './openapi/share-repeated.ts';

// Writes the part of GitHub's published contract that the forge twin serves.
//   npm pack @octokit/openapi@23.0.2 @octokit/openapi-webhooks@12.1.0   (in a folder outside the checkout, unpacked)
//   npx tsx scripts/extract-openapi.ts <openapi package> <openapi-webhooks package>

const OUTPUT = fileURLToPath(new URL('../test/twin/openapi/fixtures/github.json', import.meta.url));

interface Operation {
  readonly parameters?: readonly Schema[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content?: Record<string, { readonly schema: Schema }>;
  };
  readonly responses?: Record<string, Schema>;
}

interface Description {
  readonly paths?: Record<string, Record<string, Operation>>;
  readonly webhooks?: Record<string, { readonly post: Operation }>;
  readonly components: Record<string, Record<string, Schema>>;
}

main(process.argv.slice(2));

function main([openapi, webhooks]: readonly string[]): void {
  if (openapi === undefined || webhooks === undefined) {
    throw new Error(
      'Give the folders of the unpacked packages @octokit/openapi and @octokit/openapi-webhooks.',
    );
  }
  const rest = readDescription(openapi);
  const events = readDescription(webhooks);
  const routes = correctRoutes(mapValues(ROUTES, route => extractRoute(rest, route)));
  const payloads = mapValues(WEBHOOKS, name => extractPayload(events, name));
  const extract = {
    source: { openapi: versionOf(openapi), webhooks: versionOf(webhooks) },
    routes,
    payloads,
    rest: shareRepeated(correctDefinitions(collectDefinitions(rest, routes)), 'rest'),
    events: shareRepeated(correctDefinitions(collectDefinitions(events, payloads)), 'events'),
  };
  const text = print(extract);
  writeFileSync(OUTPUT, text);
  console.log(
    `${OUTPUT}: ${Object.keys(routes).length} routes, ${Object.keys(payloads).length} webhooks, ${text.length} bytes`,
  );
}

function readDescription(folder: string): Description {
  return JSON.parse(readFileSync(join(folder, 'generated/api.github.com.json'), 'utf8')) as Description;
}

function versionOf(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}

function mapValues<T>(names: Readonly<Record<string, string>>, map: (value: string) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(names).map(([name, value]) => [name, map(value)]));
}

function extractRoute(rest: Description, route: string): Json {
  const [method = '', path = ''] = route.split(' ');
  const operation = rest.paths?.[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`The description has no ${route}.`);
  const prune = (schema: Schema): Schema => pruneSchema(schema, 'rest');
  const body = operation.requestBody?.content?.['application/json']?.schema;
  return {
    path,
    parameters: (operation.parameters ?? []).map(parameter => {
      const { name, in: place, required, schema } = resolve(rest, parameter);
      return { name, in: place, required: required === true, schema: prune(schema as Schema) } as Json;
    }),
    body: body === undefined ? null : prune(body),
    bodyRequired: operation.requestBody?.required === true,
    responses: Object.fromEntries(
      Object.entries(operation.responses ?? {}).map(([status, response]) => {
        const content = (resolve(rest, response).content ?? {}) as Record<string, { schema?: Schema }>;
        const schema = content['application/json']?.schema ?? content['application/scim+json']?.schema;
        return [status, schema === undefined ? null : prune(schema)];
      }),
    ),
  };
}

function extractPayload(events: Description, name: string): Json {
  const schema = events.webhooks?.[name]?.post.requestBody?.content?.['application/json']?.schema;
  if (schema === undefined) throw new Error(`The description has no webhook ${name}.`);
  return pruneSchema(schema, 'events');
}

function resolve(description: Description, value: Schema): Schema {
  if (typeof value.$ref !== 'string') return value;
  const [kind = '', name = ''] = value.$ref.split('/').slice(2);
  const target = description.components[kind]?.[name];
  if (target === undefined) throw new Error(`Nothing stands at ${value.$ref}.`);
  return resolve(description, target);
}

/** Follows every reference from the roots; what nothing refers to is left out. */
function collectDefinitions(description: Description, roots: Json): Record<string, Schema> {
  const definitions: Record<string, Schema> = {};
  const space = description.paths === undefined ? 'events' : 'rest';
  const waiting = [...referencesIn(roots)];
  for (let reference = waiting.pop(); reference !== undefined; reference = waiting.pop()) {
    const name = reference.slice(`${space}#/definitions/`.length);
    if (name in definitions) continue;
    const found = resolve(description, { $ref: `#/components/schemas/${name}` });
    definitions[name] = pruneSchema(found, space);
    waiting.push(...referencesIn(definitions[name]));
  }
  return Object.fromEntries(Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function referencesIn(value: Json): readonly string[] {
  return [...JSON.stringify(value).matchAll(/"\$ref":"([^"]+)"/g)].map(match => match[1] ?? '');
}

/** One line for each route, payload and definition: small, and a change shows as the lines it touches. */
function print(extract: Readonly<Record<string, Readonly<Record<string, unknown>>>>): string {
  const sections = Object.entries(extract).map(([name, entries]) => {
    const lines = Object.entries(entries).map(
      ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`,
    );
    return `${JSON.stringify(name)}:{\n${lines.join(',\n')}\n}`;
  });
  return `{\n${sections.join(',\n')}\n}\n`;
}
