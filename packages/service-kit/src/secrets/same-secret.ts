import { hash, timingSafeEqual } from 'node:crypto'

/** Compares a given secret in constant time, whatever its length and wherever it differs. */
export function isSameSecret(given: string, secret: string): boolean {
  // `timingSafeEqual` needs equal lengths; digests have one.
  return timingSafeEqual(digest(given), digest(secret))
}

/** `isSameSecret` for a secret that is compared often: its digest is computed once. */
export function secretMatcher(secret: string): (given: string) => boolean {
  const expected = digest(secret)
  return (given) => timingSafeEqual(digest(given), expected)
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
