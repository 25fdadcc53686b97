import { keyIdOf, type MasterKeys, type Sealer } from '../secrets/secrets.ts'

/** One secret at rest. */
export interface SealedValue {
  /** Identifies the value in a report; never the secret. */
  readonly id: string
  readonly sealed: string
  /** The context it was sealed with and only opens with. */
  readonly context: string
  /** Replaces exactly this text. Resolves to false when the value was changed or removed meanwhile. */
  replace(sealed: string): Promise<boolean>
}

/** A field of a collection that holds sealed secrets. */
export interface SealedPlace {
  readonly name: string
  /** All values, `size` documents at a time. */
  pages(size: number): AsyncIterable<readonly SealedValue[]>
}

/** The values of one field. */
export interface PlaceSurvey {
  readonly place: string
  /** How many values are sealed under each key id. */
  readonly counts: ReadonlyMap<string, number>
  /** Ids of some values that no given key opens. */
  readonly closed: readonly string[]
}

export interface Resealed {
  readonly surveys: readonly PlaceSurvey[]
  readonly replaced: number
}

const PAGE_SIZE = 100
const MAX_NAMED = 20

/** While replicas still seal with an old key, there would always be another pass. */
const MAX_PASSES = 5

/** Counts the values sealed under each key and checks that all of them open. Changes nothing. */
export async function surveySeals(places: readonly SealedPlace[], sealer: Sealer): Promise<PlaceSurvey[]> {
  const surveys: PlaceSurvey[] = []
  for (const place of places) surveys.push(await surveyPlace(place, sealer))
  return surveys
}

/**
 * Seals everything under the first key. A value is only replaced while it is what was read, so that no concurrent change is
 * undone. After a crash, the next run continues. Values that no key opens are left unchanged and reported.
 */
export async function reseal(places: readonly SealedPlace[], keys: MasterKeys, sealer: Sealer): Promise<Resealed> {
  const [currentId] = [...keys.keys()]
  let replaced = 0
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    let found = 0
    for (const place of places) {
      for await (const values of place.pages(PAGE_SIZE)) {
        for (const value of values.filter(({ sealed }) => keyIdOf(sealed) !== currentId)) {
          const plain = tryOpen(sealer, value)
          if (!plain) continue
          found += 1
          if (await value.replace(sealer.seal(plain, value.context))) replaced += 1
        }
      }
    }
    // Values that replicas seal under an old key during this pass are found by the next one.
    if (found === 0) break
  }
  return { surveys: await surveySeals(places, sealer), replaced }
}

async function surveyPlace(place: SealedPlace, sealer: Sealer): Promise<PlaceSurvey> {
  const counts = new Map<string, number>()
  const closed: string[] = []
  for await (const values of place.pages(PAGE_SIZE)) {
    for (const value of values) {
      const keyId = keyIdOf(value.sealed) ?? 'unreadable'
      counts.set(keyId, (counts.get(keyId) ?? 0) + 1)
      if (closed.length < MAX_NAMED && !tryOpen(sealer, value)) closed.push(value.id)
    }
  }
  return { place: place.name, counts, closed }
}

function tryOpen(sealer: Sealer, { sealed, context }: SealedValue): Buffer | undefined {
  try {
    return sealer.open(sealed, context)
  } catch {
    return undefined
  }
}
