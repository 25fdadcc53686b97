import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { instanceId } from '@gateway-infra/system/paths'

/** An instance's data directory, as a path inside the root file system; it survives restarts. */
export function nativeDataDir(stateDir: string): string {
  return `/data/${instanceId(stateDir)}`
}

/** Removes the data of an instance that is not running. */
export async function discardNativeData(stateDir: string, cacheDir: string): Promise<void> {
  await rm(join(cacheDir, 'rootfs', nativeDataDir(stateDir)), { recursive: true, force: true })
}
