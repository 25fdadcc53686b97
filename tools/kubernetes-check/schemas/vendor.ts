/**
 * Writes the schemas beside it anew: `node tools/kubernetes-check/schemas/vendor.ts`, where there is Go, which fetches the modules.
 * Checking needs neither Go nor a network: it reads what was written.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { readEnums, withEnums } from './enums.ts'
import { SOURCES, type Source } from './sources.ts'
import { isMap, strictly, type Tree } from './strictly.ts'

const DEFINITIONS = '#/components/schemas/'

for (const source of SOURCES) {
  const { kinds, definitions } = source.kinds ? fromOpenApi(source, source.kinds) : fromCustomResources(source)
  const { file, module, license } = source
  const note = 'Written by vendor.ts: descriptions, status and what is named in sources.ts left out, unknown fields refused.'
  const text = JSON.stringify({ note, source: module, license, kinds, definitions }, null, 1)
  writeFileSync(join(import.meta.dirname, file), `${text}\n`)
  console.log(`${file}: ${Object.keys(kinds).join(', ')} (${text.length} bytes)`)
}

/** Kubernetes' own: some kinds, and every definition that they lead to. */
function fromOpenApi(
  { module, files, enums = '' }: Source,
  wanted: Readonly<Record<string, string>>,
): Record<'kinds' | 'definitions', Tree> {
  const all = read(module, files).reduce<Tree>((sum, text) => ({ ...sum, ...at(JSON.parse(text), 'components', 'schemas') }), {})
  const limits = readEnums(read(module, [enums]).join(''))
  const definitions: Record<string, unknown> = {}
  const take = (name: string): void => {
    if (name in definitions) return
    const definition = withEnums(strictly(all[name]), limits.get(name))
    definitions[name] = definition
    for (const [, next = ''] of JSON.stringify(definition).matchAll(/"#\/definitions\/([^"]+)"/gu)) take(next)
  }
  Object.values(wanted).forEach(take)
  const kinds = Object.entries(wanted).map(([kind, name]) => [kind, { $ref: `#/definitions/${name}` }])
  return { kinds: Object.fromEntries(kinds) as Tree, definitions }
}

/** An operator's: each file is a CustomResourceDefinition with one version. */
function fromCustomResources({ module, files, without = [] }: Source): Record<'kinds' | 'definitions', Tree> {
  const kinds = read(module, files).map((text) => {
    const { group, names, versions } = at(parse(text), 'spec')
    const [version] = Array.isArray(versions) ? (versions as unknown[]) : []
    const schema = at(version, 'schema', 'openAPIV3Schema')
    return [`${String(group)}/${String(at(version)['name'])} ${String(at(names)['kind'])}`, strictly(schema, without)]
  })
  return { kinds: Object.fromEntries(kinds) as Tree, definitions: {} }
}

function read(module: string, files: readonly string[]): string[] {
  const told: unknown = JSON.parse(execFileSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8' }))
  const folder = String(at(told)['Dir'])
  return files.map((file) => readFileSync(join(folder, file), 'utf8').replaceAll(DEFINITIONS, '#/definitions/'))
}

function at(value: unknown, ...path: readonly string[]): Tree {
  const found = path.reduce<unknown>((part, key) => (isMap(part) ? part[key] : undefined), value)
  if (!isMap(found)) throw new Error(`there is no ${path.join('.')}`)
  return found
}
