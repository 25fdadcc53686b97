/** What `npm run supply-chain` decides, without running anything. */

/**
 * Images of others that are named by version only: their digests could not be looked up where this was written, since no image
 * registry could be reached there. docs/operations/supply-chain.md says how to pin them.
 */
const WITHOUT_DIGEST: ReadonlySet<string> = new Set([
  'node:24-slim',
  'mongo:8',
  'rabbitmq:4-management',
  'rabbitmq:4.3-management',
  'ghostunnel/ghostunnel:v1.11.1-distroless',
])

const DIGEST = /@sha256:[0-9a-f]{64}$/u
/** Built here from this checkout, under names of the deployment. */
const OWN = /(?:^|\/)payment-gateway\/|IMAGE_PREFIX/u

/** The images of others in a compose file, a Dockerfile, a manifest or a kustomization. */
export function imagesIn(text: string): string[] {
  const compose = /\$\{(?:NODE|MONGO|RABBITMQ)_IMAGE:-([^}]+)\}/gu
  const docker = /^ARG \w+_IMAGE=(\S+)$/gmu
  // A name without a version gets it from a kustomization.
  const manifest = /^\s*image: ([^\s$]+[:@]\S+)$/gmu
  const named = [compose, docker, manifest].flatMap((form) => [...text.matchAll(form)].map(([, image = '']) => image))
  const kustomized = [...text.matchAll(/name: ([^\s,]+),(?: newName: ([^\s,]+),)? (newTag|digest): ([^\s}]+)/gu)].map(
    ([, name = '', newName = name, kind = '', version = '']) => `${newName}${kind === 'digest' ? '@' : ':'}${version}`,
  )
  return [...named, ...kustomized].filter((image) => !OWN.test(image))
}

/** Images that are neither pinned by digest nor known to lack one. */
export function unpinned(images: readonly string[]): string[] {
  return [...new Set(images)].filter((image) => !DIGEST.test(image) && !WITHOUT_DIGEST.has(image))
}

/** Images that are named by version only, which is said in the output of each run. */
export function withoutDigest(images: readonly string[]): string[] {
  return [...new Set(images)].filter((image) => WITHOUT_DIGEST.has(image))
}

export type AuditOutcome = 'none' | 'found' | 'not offered' | 'failed'

/** What `pnpm audit` says. Registries that mirror packages often have no advisories. */
export function auditOutcome({ code, output }: { readonly code: number; readonly output: string }): AuditOutcome {
  if (code === 0) return 'none'
  if (/ERR_PNPM_AUDIT_(?:BAD_RESPONSE|ENDPOINT_NOT_EXISTS)/u.test(output) && /\b(?:404|405|501)\b/u.test(output))
    return 'not offered'
  if (/ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ENETUNREACH/u.test(output)) return 'not offered'
  return /"(?:advisories|vulnerabilities)"/u.test(output) ? 'found' : 'failed'
}
