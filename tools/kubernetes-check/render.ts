/**
 * What `kustomize build` makes of a folder, as far as the folders here use it; anything else is an error. So checking needs no
 * program but Node; where kustomize is there, a test compares.
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { isMap, type Tree } from './schemas/strictly.ts'
import type { Manifest } from './manifests.ts'
import { added, placed, retagged, suffixed } from './transform.ts'

const KNOWN = [
  'apiVersion',
  'kind',
  'resources',
  'components',
  'configMapGenerator',
  'patches',
  'images',
  'nameSuffix',
  'namespace',
] as const
type Kustomization = Readonly<Partial<Record<(typeof KNOWN)[number], unknown>>>

/** The objects of a folder. @throws on a file that is no YAML, that is not there, or that asks for what is not known here */
export function render(folder: string): Manifest[] {
  return build(folder, []).map((object: unknown) => {
    if (!isManifest(object)) throw new Error(`${folder}: no Kubernetes object: ${JSON.stringify(object).slice(0, 100)}`)
    return object
  })
}

/** @param given what stands before: a component changes it */
function build(folder: string, given: readonly Tree[]): Tree[] {
  const kustomization = readKustomization(folder)
  const { namespace, nameSuffix = '' } = kustomization
  let objects = [...given, ...strings(kustomization.resources).flatMap((path) => resource(join(folder, path)))]
  for (const component of strings(kustomization.components)) objects = build(join(folder, component), objects)
  objects.push(
    ...maps(kustomization.configMapGenerator, ['name', 'envs', 'literals']).map((generator) => configMap(folder, generator)),
  )
  for (const patch of maps(kustomization.patches, ['target', 'path']))
    objects = objects.map((object) => patched(object, folder, patch))
  const images = maps(kustomization.images, ['name', 'newName', 'newTag', 'digest'])
  const all = objects
  return all.map((object) => placed(suffixed(retagged(object, images), all, String(nameSuffix)), namespace))
}

function readKustomization(folder: string): Kustomization {
  const [kustomization = {}, ...others] = readYaml(join(folder, 'kustomization.yaml'))
  if (others.length > 0) throw new Error(`${folder}: a kustomization is one document`)
  refuseOthers(kustomization, KNOWN)
  return kustomization
}

function resource(path: string): Tree[] {
  return statSync(path).isDirectory() ? build(path, []) : readYaml(path)
}

/** Every document of a file, read as Kubernetes reads it: YAML 1.1, in which 0440 is octal. */
function readYaml(file: string): Tree[] {
  return parseAllDocuments(readFileSync(file, 'utf8'), { version: '1.1' }).map((document) => {
    const [error] = document.errors
    if (error) throw new Error(`${file}: ${error.message}`)
    const value: unknown = document.toJS()
    if (!isMap(value)) throw new Error(`${file}: a document that is no object`)
    return value
  })
}

function configMap(folder: string, { name, envs, literals }: Tree): Tree {
  const files = strings(envs).map((file) => readFileSync(join(folder, file), 'utf8'))
  const lines = [...files.flatMap((text) => text.split('\n')), ...strings(literals)]
  const entries = lines
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const)
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: Object.fromEntries(entries) }
}

/** JSON Patch (RFC 6902), of which adding to the end of a list is all that is used. */
function patched(object: Tree, folder: string, { target, path }: Tree): Tree {
  const { kind, name } = isMap(target) ? target : {}
  if (object['kind'] !== kind || !isMap(object['metadata']) || object['metadata']['name'] !== name) return object
  const [document] = parseAllDocuments(readFileSync(join(folder, String(path)), 'utf8'), { version: '1.1' })
  return maps(document?.toJS(), ['op', 'path', 'value']).reduce((changed, { op, path: at, value }) => {
    const [, keys, end] = /^\/(.+)\/(-)$/u.exec(String(at)) ?? []
    if (op !== 'add' || keys === undefined || end === undefined)
      throw new Error(`${folder}: the patch ${String(op)} is not known`)
    return added(changed, keys.split('/'), value)
  }, object)
}

function isManifest(value: unknown): value is Manifest {
  if (!isMap(value) || !isMap(value['metadata'])) return false
  return [value['apiVersion'], value['kind'], value['metadata']['name']].every((part) => typeof part === 'string')
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

/** The objects of a list, which have these fields at most. */
function maps(value: unknown, known: readonly string[]): Tree[] {
  const found = Array.isArray(value) ? value.filter(isMap) : []
  for (const one of found) refuseOthers(one, known)
  return found
}

/** Leaving out what kustomize would do makes other objects than it does. */
function refuseOthers(tree: Tree, known: readonly string[]): void {
  const others = Object.keys(tree).filter((key) => !known.includes(key))
  if (others.length > 0) throw new Error(`not known here: ${others.join(', ')}`)
}
