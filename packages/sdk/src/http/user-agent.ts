import { GatewayError } from '../errors.ts'
import { VERSION } from '../version.ts'

/** The program that uses this package. */
export interface AppInfo {
  readonly name: string
  readonly version?: string
}

const TOKEN = /^[\w!#$%&'*+.^`|~-]{1,50}$/u

/** `sdk/<version> node/<version>`, then the program's own name. Nothing else is told about the machine. */
export function userAgent(appInfo: AppInfo | undefined): string {
  const { node } = (globalThis.process as { versions?: { node?: string } } | undefined)?.versions ?? {}
  const parts = [`sdk/${VERSION}`, ...(node === undefined ? [] : [`node/${node}`])]
  if (!appInfo) return parts.join(' ')
  const { name, version } = appInfo
  if (!TOKEN.test(name) || (version !== undefined && !TOKEN.test(version)))
    throw new GatewayError('appInfo takes a name and a version of letters, digits and ._- only')
  return [...parts, version === undefined ? name : `${name}/${version}`].join(' ')
}
