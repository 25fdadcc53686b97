import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { createSealer, keyIdOf } from '../secrets/secrets.ts'
import { reseal, surveySeals, type SealedPlace } from './reseal.ts'

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
const keys = new Map([
  ['k2', newKey],
  ['k1', oldKey],
])
const [old, sealer] = [createSealer(new Map([['k1', oldKey]])), createSealer(keys)]

/** A collection in memory; `meanwhile` runs between the read and the write of each value. */
function placeOf(store: Map<string, string>, meanwhile: (id: string) => void = () => {}): SealedPlace {
  return {
    name: 'secrets',
    async *pages(size) {
      const ids = [...store.keys()].toSorted()
      for (let from = 0; from < ids.length || from === 0; from += size) {
        yield ids.slice(from, from + size).flatMap((id) => {
          const sealed = store.get(id)
          if (sealed === undefined) return []
          const replace = async (text: string): Promise<boolean> => {
            meanwhile(id)
            if (store.get(id) !== sealed) return false
            store.set(id, text)
            return true
          }
          return [{ id, sealed, context: id, replace }]
        })
      }
    },
  }
}

// Proves: operate/change-during-resealing-is-kept
test('resealing puts every secret under the first key and keeps its text; a second run changes nothing', async () => {
  const stored = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/u), fc.tuple(fc.string(), fc.boolean()), { maxKeys: 250 })
  await fc.assert(
    fc.asyncProperty(stored, async (secrets) => {
      const store = new Map(
        Object.entries(secrets).map(([id, [text, isOld]]) => [id, (isOld ? old : sealer).seal(Buffer.from(text), id)]),
      )
      const olds = Object.values(secrets).filter(([, isOld]) => isOld).length
      const { replaced, surveys } = await reseal([placeOf(store)], keys, sealer)
      expect(replaced).toBe(olds)
      expect(surveys[0]?.counts.get('k1')).toBeUndefined()
      for (const [id, [text]] of Object.entries(secrets))
        expect(createSealer(new Map([['k2', newKey]])).open(store.get(id) ?? '', id)).toEqual(Buffer.from(text))
      const before = new Map(store)
      expect((await reseal([placeOf(store)], keys, sealer)).replaced).toBe(0)
      expect(store).toEqual(before)
    }),
    { numRuns: 30 },
  )
})

// Proves: operate/change-during-resealing-is-kept
test('a secret that changes between the read and the write keeps its change, and the next pass takes it', async () => {
  const store = new Map([
    ['a', old.seal(Buffer.from('first'), 'a')],
    ['b', old.seal(Buffer.from('revoked'), 'b')],
  ])
  const changes = new Map<string, () => unknown>([
    ['a', () => store.set('a', old.seal(Buffer.from('second'), 'a'))],
    ['b', () => store.delete('b')],
  ])
  const place = placeOf(store, (id) => {
    changes.get(id)?.()
    changes.delete(id)
  })
  expect((await reseal([place], keys, sealer)).replaced).toBe(1)
  expect([...store.keys()]).toEqual(['a'])
  expect(keyIdOf(store.get('a') ?? '')).toBe('k2')
  expect(sealer.open(store.get('a') ?? '', 'a')).toEqual(Buffer.from('second'))
})

test('a secret that does not open stays as it is and is named; the others are resealed', async () => {
  const stranger = createSealer(new Map([['k9', randomBytes(32)]]))
  const store = new Map([
    ['a', stranger.seal(Buffer.from('x'), 'a')],
    ['b', old.seal(Buffer.from('x'), 'another place')],
    ['c', 'no sealed text'],
    ['d', old.seal(Buffer.from('x'), 'd')],
  ])
  const before = new Map(store)
  const { replaced, surveys } = await reseal([placeOf(store)], keys, sealer)
  expect(replaced).toBe(1)
  for (const id of ['a', 'b', 'c']) expect(store.get(id)).toBe(before.get(id))
  expect(surveys).toEqual([
    {
      place: 'secrets',
      counts: new Map([
        ['k9', 1],
        ['k1', 1],
        ['unreadable', 1],
        ['k2', 1],
      ]),
      closed: ['a', 'b', 'c'],
    },
  ])
})

test('an old replica that seals without end does not keep it running without end', async () => {
  const store = new Map([['a', old.seal(Buffer.from('x'), 'a')]])
  const place = placeOf(store, () => store.set('a', old.seal(Buffer.from('x'), 'a')))
  const { surveys } = await reseal([place], keys, sealer)
  expect(surveys[0]?.counts).toEqual(new Map([['k1', 1]]))
})

test('looking changes nothing', async () => {
  const store = new Map([['a', old.seal(Buffer.from('x'), 'a')]])
  const before = new Map(store)
  expect((await surveySeals([placeOf(store)], sealer))[0]?.counts).toEqual(new Map([['k1', 1]]))
  expect(store).toEqual(before)
})
