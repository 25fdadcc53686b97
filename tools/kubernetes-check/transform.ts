/** What a kustomization does to objects. */
import { isMap, type Tree } from './schemas/strictly.ts'

/** With a value at the end of the list at that path. @throws where there is no list */
export function added(tree: Tree, [key = '', ...rest]: readonly string[], value: unknown): Tree {
  const part = tree[key]
  if (rest.length > 0 && isMap(part)) return { ...tree, [key]: added(part, rest, value) }
  if (rest.length > 0 || !Array.isArray(part)) throw new Error(`a patch adds to ${key}, which is no list`)
  return { ...tree, [key]: [...(part as unknown[]), value] }
}

/** Every container's image under the name and version that `images` of a kustomization gives it. */
export function retagged(object: Tree, images: readonly Tree[]): Tree {
  return deep(object, 'image', (image) => {
    const change = images.find(({ name }) => name === image)
    if (!change) return image
    const { newName = image, newTag, digest } = change
    return digest === undefined ? `${text(newName)}:${text(newTag)}` : `${text(newName)}@${text(digest)}`
  })
}

/** With that end to its name, and that of the ConfigMaps which it names. */
export function suffixed(object: Tree, all: readonly Tree[], suffix: string): Tree {
  if (suffix === '' || !isMap(object['metadata'])) return object
  const own = new Set(all.flatMap(({ kind, metadata }) => (kind === 'ConfigMap' && isMap(metadata) ? [metadata['name']] : [])))
  const renamed = { ...object, metadata: { ...object['metadata'], name: `${String(object['metadata']['name'])}${suffix}` } }
  const refer = (reference: unknown): unknown =>
    isMap(reference) && own.has(reference['name']) ? { ...reference, name: `${String(reference['name'])}${suffix}` } : reference
  return deep(deep(renamed, 'configMapRef', refer), 'configMapKeyRef', refer)
}

/** In a namespace, unless it is one. */
export function placed(object: Tree, namespace: unknown): Tree {
  if (namespace === undefined || object['kind'] === 'Namespace' || !isMap(object['metadata'])) return object
  return { ...object, metadata: { ...object['metadata'], namespace } }
}

/** With every value of that name changed, however deep it stands. */
function deep(tree: Tree, key: string, change: (value: unknown) => unknown): Tree {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk)
    if (!isMap(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, name === key ? change(part) : walk(part)]))
  }
  const walked = walk(tree)
  return isMap(walked) ? walked : tree
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`an image's name and version must be texts: ${JSON.stringify(value)}`)
  return value
}
