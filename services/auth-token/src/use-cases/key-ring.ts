import { Fault } from '@gateway/contracts'
import type { Sealer } from '@gateway/service-kit'
import { dueKeyNumber, publishedKeys, signingKeyContext, signingKeyOf } from '../domain/signing-keys.ts'
import type { SigningKeys, StoredKey } from '../persistence/signing-keys.ts'
import { generateEd25519, importEd25519, publicJwk, publicXOf, type PublicJwk } from '../tokens/ed25519.ts'

type ReadyKey = Awaited<ReturnType<typeof importEd25519>>

export interface KeyRing {
  /** The key to sign with now. */
  current(): Promise<{ readonly kid: string; readonly key: ReadyKey }>
  /** The public keys that verifiers must know (RFC 7517). Throws when a private half cannot be opened. */
  jwks(): Promise<{ readonly keys: readonly PublicJwk[] }>
}

/** Far shorter than `PUBLISH_AHEAD_MS`, so that no replica signs with a key that another replica has removed. */
const REFRESH_MS = 10_000

interface KeyRingDependencies {
  readonly signingKeys: SigningKeys
  readonly sealer: Sealer
  readonly now: () => Date
  readonly rotateAfterMs: number
}

/** The signing keys of internal tokens. All replicas share them through the database; the first replica that finds one due makes it. */
export function createKeyRing({ signingKeys, sealer, now, rotateAfterMs }: KeyRingDependencies): KeyRing {
  let loaded: { readonly keys: readonly StoredKey[]; readonly atMs: number } | undefined
  let imported: { readonly kid: string; readonly key: ReadyKey } | undefined

  async function load(): Promise<readonly StoredKey[]> {
    let keys = await signingKeys.all()
    const due = dueKeyNumber(keys, now(), rotateAfterMs)
    if (due !== undefined) {
      await signingKeys.insert(await newKey(due))
      keys = await signingKeys.all()
      const published = publishedKeys(keys, now())
      await signingKeys.remove(keys.filter((key) => !published.includes(key)).map(({ number }) => number))
    }
    loaded = { keys, atMs: now().getTime() }
    return keys
  }

  async function newKey(number: number): Promise<StoredKey> {
    const { publicX, privateD } = await generateEd25519()
    // The start of the public key makes the ids of two databases differ.
    const kid = `internal-${number}-${publicX.slice(0, 8)}`
    return { number, kid, sealedPrivate: sealer.seal(privateD, signingKeyContext(kid)), createdAt: now() }
  }

  const privateOf = ({ kid, sealedPrivate }: StoredKey): Buffer => sealer.open(sealedPrivate, signingKeyContext(kid))

  return {
    async current() {
      const fresh = loaded && now().getTime() - loaded.atMs < REFRESH_MS
      const stored = signingKeyOf(fresh && loaded ? loaded.keys : await load(), now())
      if (!stored) throw new Fault('no signing key found right after one was made')
      if (imported?.kid !== stored.kid) {
        imported = { kid: stored.kid, key: await importEd25519(privateOf(stored)) }
      }
      return imported
    },
    // Always read from the database: a verifier asks when it finds an unknown key id. Compute the public half from the sealed private
    // one, so that an attacker who can only write to the database cannot publish a key.
    jwks: async () => ({
      keys: publishedKeys(await load(), now()).map((stored) => publicJwk(stored.kid, publicXOf(privateOf(stored)))),
    }),
  }
}
