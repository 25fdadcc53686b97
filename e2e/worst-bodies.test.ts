import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compile, compiled, createOrderRequest, ValidationFailed, type Checker, type FieldError } from '@gateway/contracts'

type Subschema = Readonly<Record<string, unknown>>

/** The largest body that any service reads. */
const BODY_LIMIT_BYTES = 64 * 1024
const ROOT = join(import.meta.dirname, '..')

/** Importing a module that compiles a schema adds it to `compiled`. */
async function everySchema(): Promise<Subschema[]> {
  const files = globSync(['services/*/src/**/*.ts', 'packages/*/src/**/*.ts'], { cwd: ROOT })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => join(ROOT, file))
    .filter((file) => /\bcompile(?:Reader)?\(/u.test(readFileSync(file, 'utf8')))
  for (const file of files) await import(pathToFileURL(file).href)
  for (const sandbox of [true, false]) createOrderRequest({ sandbox })
  return compiled.map(({ schema }) => schema)
}

/** A schema and the schemas inside it, without repeats. A body reaches an inner schema only when its other fields are valid. */
function* parts(schema: Subschema): Generator<Subschema> {
  yield schema
  const { properties, items, additionalProperties } = schema
  for (const inner of [...Object.values(isObject(properties) ? properties : {}), items, additionalProperties])
    if (isObject(inner)) yield* parts(inner)
}

const filled = (piece: string): string => piece.repeat(BODY_LIMIT_BYTES / piece.length)
const listOf = (itemAt: (index: number) => unknown, bytesEach: number): unknown[] =>
  Array.from({ length: BODY_LIMIT_BYTES / bytesEach }, (_, index) => itemAt(index))

const TEXTS = [
  'a',
  '0',
  ' ',
  '-',
  '.',
  '/',
  '%',
  '\\',
  'a.',
  '0.',
  'a-',
  'a@',
  '0-',
  'A1',
  '+9',
  '::',
  'é',
  '𝒶',
  '\u0000',
  '\ud800',
]
const BEGINNINGS = ['', 'a@', 'a@a.', 'https://', 'https://a', 'https://[', 'upi://pay?', '2026-11-21T10:00:00.']
const UNKNOWN_FIELDS = Object.fromEntries(listOf((index) => [`a${index}`, 1], 10) as [string, number][])
const LONG_TEXTS = BEGINNINGS.flatMap((beginning) => TEXTS.map((text) => `${beginning}${filled(text)}!`))
const LARGE_BODIES: readonly unknown[] = [
  listOf((a) => ({ a }), 11),
  listOf(() => [], 3),
  listOf((index) => index, 6),
  listOf((index) => `${index}`, 8),
  listOf(() => 1, 2),
  UNKNOWN_FIELDS,
  Object.fromEntries(listOf((index) => [`a${index}`, {}], 11) as [string, object][]),
  { [filled('\u0001')]: 1 },
  JSON.parse('['.repeat(BODY_LIMIT_BYTES / 2) + ']'.repeat(BODY_LIMIT_BYTES / 2)),
]

/** Values of the right type: a checker looks at the type first. */
function worstFor({ type, pattern, format }: Subschema): readonly unknown[] {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type]
  const takes = (wanted: string) => type === undefined || types.includes(wanted)
  return [
    ...(takes('string') ? ((pattern ?? format) === undefined ? [filled('a')] : LONG_TEXTS) : []),
    ...(takes('object') || takes('array') ? LARGE_BODIES : []),
  ]
}

/** The bad fields of the body, and how long its refusal took. */
function refusal(checker: Checker<unknown>, body: unknown): { readonly tookMs: number; readonly errors: readonly FieldError[] } {
  const beganMs = performance.now()
  try {
    checker.parse(body)
    return { tookMs: performance.now() - beganMs, errors: [] }
  } catch (error) {
    if (error instanceof ValidationFailed) return { tookMs: performance.now() - beganMs, errors: error.errors }
    throw error
  }
}

function medianMs(checker: Checker<unknown>, body: unknown): number {
  return Array.from({ length: 9 }, () => refusal(checker, body).tookMs).toSorted((a, b) => a - b)[4] ?? Infinity
}

// Proves: faults/worst-bodies
test('no schema takes long to refuse 64 KiB of the worst input, or answers with much', async () => {
  const all = [...(await everySchema()).flatMap((schema) => [...parts(schema)])]
  expect(all.length).toBeGreaterThan(400)
  const distinct = new Map(all.map(({ $id: _, ...part }) => [JSON.stringify(part), part]))

  // A list that is compared pair by pair takes over a thousand times as long as this refusal of as many bytes.
  const longestMs = 20 * medianMs(checkerOf({ type: 'object', additionalProperties: false }), UNKNOWN_FIELDS)
  for (const [text, schema] of distinct) {
    const checker = checkerOf(schema)
    for (const [index, body] of worstFor(schema).entries()) {
      const { tookMs, errors } = refusal(checker, body)
      expect(errors.length).toBeLessThanOrEqual(100)
      expect(JSON.stringify(errors).length).toBeLessThan(BODY_LIMIT_BYTES)
      const isSlow = tookMs > longestMs && medianMs(checker, body) > longestMs
      if (isSlow) throw new Error(`slow: ${text} with input ${index}`)
    }
  }
})

// Proves: faults/worst-bodies
test('a list of unique items that may be objects does not compile', () => {
  const checker = checkerOf({ type: 'array', maxItems: 3, uniqueItems: true, items: { enum: ['a'] } })
  expect(() => checker([])).toThrow('uniqueItems needs items of one scalar type')
})

/** `compile` without its type: the compiler cannot derive one for a schema that is known only at run time. */
function checkerOf(schema: Subschema): Checker<unknown> {
  return compile<{ readonly default?: unknown }>(schema)
}

function isObject(value: unknown): value is Subschema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
