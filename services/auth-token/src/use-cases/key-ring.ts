import { randomBytes, type KeyObject } from 'node:crypto'
import { Fault } from '@gateway/contracts'
import type { Sealer } from '@gateway/service-kit'
import { dueKeyNumber, publishedKeys, signingKeyContext, signingKeyOf } from '../domain/signing-keys.ts'
import type { SigningKeys, StoredKey } from '../persistence/signing-keys.ts'
import { PRIVATE_BYTES, privateKeyOf, publicJwk, publicXOf, type PublicJwk } from '../tokens/ed25519.ts'

/** Far shorter than `PUBLISH_AHEAD_MS`, so that no replica signs with a key that another replica has removed. */
const REFRESH_MS = 10_000

export type KeyRing = ReturnType<typeof createKeyRing>

/** The signing keys of internal tokens. All replicas share them through the database; the first replica that finds one due makes it. */
export function createKeyRing(dependencies: {
  readonly signingKeys: SigningKeys
  readonly sealer: Sealer
  readonly now: () => Date
  readonly rotateAfterMs: number
}) {
  const { signingKeys, sealer, now, rotateAfterMs } = dependencies
  let loaded: { readonly keys: readonly StoredKey[]; readonly atMs: number } | undefined
  let imported: { readonly kid: string; readonly key: KeyObject } | undefined

  async function load(): Promise<readonly StoredKey[]> {
    let keys = await signingKeys.all()
    const due = dueKeyNumber(keys, now(), rotateAfterMs)
    if (due !== undefined) {
      await signingKeys.insert(newKey(due))
      keys = await signingKeys.all()
      const published = publishedKeys(keys, now())
      await signingKeys.remove(keys.filter((key) => !published.includes(key)).map(({ _id }) => _id))
    }
    loaded = { keys, atMs: now().getTime() }
    return keys
  }

  function newKey(number: number): StoredKey {
    const privateBytes = randomBytes(PRIVATE_BYTES)
    // The start of the public key makes the ids of two databases differ.
    const kid = `internal-${number}-${publicXOf(privateBytes).slice(0, 8)}`
    const sealed_private = sealer.seal(privateBytes, signingKeyContext(kid))
    return { _id: number, kid, sealed_private, created_at: now() }
  }

  const privateBytesOf = ({ kid, sealed_private }: StoredKey): Buffer => sealer.open(sealed_private, signingKeyContext(kid))

  return {
    /** The key to sign with now. */
    async current(): Promise<{ readonly kid: string; readonly key: KeyObject }> {
      const fresh = loaded && now().getTime() - loaded.atMs < REFRESH_MS
      const stored = signingKeyOf(fresh && loaded ? loaded.keys : await load(), now())
      if (!stored) throw new Fault('no signing key found right after one was made')
      if (imported?.kid !== stored.kid) imported = { kid: stored.kid, key: privateKeyOf(privateBytesOf(stored)) }
      return imported
    },
    /** The public keys that verifiers must know (RFC 7517). Throws when a private half cannot be opened. */
    async jwks(): Promise<{ readonly keys: readonly PublicJwk[] }> {
      // Always read from the database: a verifier asks when it finds an unknown key id. Compute the public half from the sealed
      // private one, so that an attacker who can only write to the database cannot publish a key.
      const published = publishedKeys(await load(), now())
      return { keys: published.map((stored) => publicJwk(stored.kid, publicXOf(privateBytesOf(stored)))) }
    },
  }
}
