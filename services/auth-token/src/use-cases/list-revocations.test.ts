import { makeListRevocations } from './list-revocations.ts'

const START_MS = 1_800_000_000_000

/** Polls every 300 ms; each credential is stored with `revokedMs` and becomes visible `lateMs` afterwards. */
async function pollWith({ lateMs, skewMs }: { lateMs: number; skewMs: number }): Promise<Set<string>> {
  const clock = { ms: START_MS }
  const stored = { keyId: 'key_1', revokedMs: START_MS + 10_000, visibleMs: START_MS + 10_000 + lateMs }
  const revokedSince = async (since: Date) =>
    clock.ms >= stored.visibleMs && stored.revokedMs >= since.getTime() ? [stored.keyId] : []
  const list = makeListRevocations({ revokedSince }, () => new Date(clock.ms + skewMs))

  const seen = new Set<string>()
  let since: Date | undefined
  for (; clock.ms < stored.visibleMs + 1000; clock.ms += 300) {
    const { as_of: asOf, credential_ids: ids } = await list(since)
    for (const id of ids) seen.add(id)
    since = new Date(asOf)
  }
  return seen
}

// Proves: api/no-revocation-missed
test.each([
  { lateMs: 0, skewMs: 0 },
  { lateMs: 30_000, skewMs: 0 },
  { lateMs: 90_000, skewMs: 0 },
  { lateMs: 90_000, skewMs: 28_000 },
])('a gateway that polls sees a revocation that becomes visible $lateMs ms late, clocks $skewMs ms apart', async (delays) => {
  expect(await pollWith(delays)).toEqual(new Set(['key_1']))
})
