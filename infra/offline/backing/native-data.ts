import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { instanceId } from '@gateway-infra/system/paths'

/** Where an instance keeps its data, as seen from inside the root file system: it survives restarts. */
export function nativeDataDir(stateDir: string): string {
  return `/data/${instanceId(stateDir)}`
}

/** Removes the data of an instance that does not run. */
export async function discardNativeData(stateDir: string, cacheDir: string): Promise<void> {
  await rm(join(cacheDir, 'rootfs', nativeDataDir(stateDir)), { recursive: true, force: true })
}
