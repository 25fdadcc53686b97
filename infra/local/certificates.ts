import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCa } from '@gateway/testkit/certificates'
import { writePrivate } from '@gateway-infra/system/private-file'

export interface CaFiles {
  readonly certFile: string
  readonly keyFile: string
}

/** The stack's own certificate authority in `<state>/ca/`, made at the first start. The local dispatcher trusts it. */
export async function ensureCa(stateDir: string): Promise<CaFiles> {
  const files = { certFile: join(stateDir, 'ca/ca.crt'), keyFile: join(stateDir, 'ca/ca.key') }
  if (isPem(files.certFile) && isPem(files.keyFile)) return files
  const ca = await createCa('Payment gateway, local authority')
  writePrivate(files.keyFile, ca.key)
  writePrivate(files.certFile, ca.cert)
  return files
}

function isPem(file: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8').startsWith('-----BEGIN ')
}
