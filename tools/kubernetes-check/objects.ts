/** Kubernetes objects as JSON, validated by kubeconform: a value that is present has the type of its schema. */
export type Json = Readonly<Record<string, unknown>>
export type Texts = Readonly<Record<string, string>>

export interface Manifest extends Json {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

export function isMap(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The values at a path in which `*` stands for every entry of a list: `spec.containers.*.name`. Absent values are left out. */
function valuesAt(value: unknown, path: string): unknown[] {
  return path.split('.').reduce<unknown[]>(
    (parts, key) =>
      parts.flatMap((part: unknown): unknown[] => {
        if (key === '*') return Array.isArray(part) ? part : []
        return isMap(part) && part[key] !== undefined ? [part[key]] : []
      }),
    [value],
  )
}

export function mapsAt(value: unknown, path: string): Json[] {
  return valuesAt(value, path).filter(isMap)
}

/** Texts and numbers, as texts. */
export function textsAt(value: unknown, path: string): string[] {
  return valuesAt(value, path).flatMap((text) => (typeof text === 'string' || typeof text === 'number' ? [String(text)] : []))
}

/** The object at a path; empty when it is absent. */
export function mapAt(value: unknown, path: string): Json {
  return mapsAt(value, path)[0] ?? {}
}

/** The text or number at a path; empty when it is absent. */
export function textAt(value: unknown, path: string): string {
  return textsAt(value, path)[0] ?? ''
}

/** Texts by name, such as labels. */
export function namedTexts(value: unknown, path: string): Texts {
  return Object.fromEntries(Object.entries(mapAt(value, path)).map(([key, text]) => [key, String(text)]))
}

export function ofKind(objects: readonly Manifest[], ...kinds: readonly string[]): Manifest[] {
  return kinds.flatMap((wanted) => objects.filter(({ kind }) => kind === wanted))
}

/** `Deployment order-api` */
export function nameOf({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.name}`
}
