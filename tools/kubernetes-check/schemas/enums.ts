/**
 * The values that Kubernetes takes for fields such as `whenUnsatisfiable`. Its published OpenAPI says "string"; the lists are in the
 * Go source that an API server makes its own schemas from.
 */
import { isMap, type Tree } from './strictly.ts'

/** By definition (`io.k8s.api.core.v1.Probe`), then by property. */
export type Enums = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>

const FUNCTION = /^func schema_k8sio_api_(\w+?)_(v\w+?)_(\w+)\(/u
const PROPERTY = /^\t{5}"([^"]+)": \{$/u
const ENUM = /^\t+Enum: +\[\]interface\{\}\{(.*)\},$/u

/** Reads `zz_generated.openapi.go`. */
export function readEnums(goSource: string): Enums {
  const enums = new Map<string, Map<string, readonly string[]>>()
  let [definition, property] = ['', '']
  for (const line of goSource.split('\n')) {
    const [, group, version, name] = FUNCTION.exec(line) ?? []
    if (name !== undefined) definition = `io.k8s.api.${String(group)}.${String(version)}.${name}`
    property = PROPERTY.exec(line)?.[1] ?? property
    const [, list] = ENUM.exec(line) ?? []
    if (list === undefined) continue
    const values = [...list.matchAll(/"([^"]*)"/gu)].map(([, value = '']) => value)
    enums.set(definition, (enums.get(definition) ?? new Map<string, readonly string[]>()).set(property, values))
  }
  return enums
}

/** The definition with the lists of its properties; a list of values is a list of these. */
export function withEnums(definition: unknown, enums: ReadonlyMap<string, readonly string[]> | undefined): unknown {
  if (!enums || !isMap(definition) || !isMap(definition['properties'])) return definition
  const properties = Object.entries(definition['properties']).map(([name, schema]) => {
    const values = enums.get(name)
    return [name, values && isMap(schema) ? limited(schema, values) : schema]
  })
  return { ...definition, properties: Object.fromEntries(properties) as Tree }
}

function limited(schema: Tree, values: readonly string[]): Tree {
  return isMap(schema['items']) ? { ...schema, items: { ...schema['items'], enum: values } } : { ...schema, enum: values }
}
