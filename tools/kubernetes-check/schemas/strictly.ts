/** Any JSON object. */
export type Tree = Readonly<Record<string, unknown>>

export function isMap(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Keywords that say nothing about whether a manifest is right. */
const SILENT =
  /^(?:description|default|format|title|example|externalDocs|x-kubernetes-(?!preserve-unknown-fields|int-or-string).*)$/u

/**
 * A Kubernetes schema as JSON Schema in which unknown fields are mistakes, as they are to `kubectl --validate=strict`: an API
 * server would drop them without a word. `without` names properties, by path from the schema's root, that are left out.
 */
export function strictly(schema: unknown, without: readonly string[] = []): unknown {
  return convert(schema, '', new Set(['status', ...without]))
}

function convert(schema: unknown, path: string, without: ReadonlySet<string>): unknown {
  if (Array.isArray(schema)) return schema.map((part) => convert(part, path, without))
  if (!isMap(schema)) return schema
  const kept = Object.entries(schema)
    .filter(([key]) => !SILENT.test(key))
    .map(([key, value]) => [
      key,
      key === 'properties' && isMap(value) ? propertiesOf(value, path, without) : convert(value, path, without),
    ])
  const converted = Object.fromEntries(kept) as Tree
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true || 'additionalProperties' in schema
  return 'properties' in converted && !open ? { ...converted, additionalProperties: false } : converted
}

/** The names here are fields, whatever they are called. */
function propertiesOf(properties: Tree, path: string, without: ReadonlySet<string>): Tree {
  const kept = Object.entries(properties)
    .map(([name, schema]) => ({ name, schema, at: path === '' ? name : `${path}.${name}` }))
    .filter(({ at }) => !without.has(at))
  return Object.fromEntries(kept.map(({ name, schema, at }) => [name, convert(schema, at, without)]))
}
