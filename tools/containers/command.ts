import { join } from 'node:path'
import { ensureBaseImages } from '@gateway-infra/offline/base-images'
import { withEngine } from '@gateway-infra/offline/engine/with-engine'
import { removeLeftovers, RUN_LABEL } from './leftovers.ts'
import { buildImages } from '@gateway-infra/images/build'
import { ROOT } from '@gateway-infra/system/paths'
import { runCommand, runThrough } from '@gateway-infra/system/command'

const JEST = join(ROOT, 'node_modules/jest/bin/jest.js')
const CONFIG = join(ROOT, 'tools/containers/jest.config.js')

/** `npm run test:containers`: tests the built images, also with faults between them. Fails when containers, networks or volumes remain. */
await runCommand((context, args) =>
  withEngine(context, async () => {
    await ensureBaseImages(context, 'faults')
    const images = await buildImages(context)
    console.log(images.join('\n'))
    const run = `${process.pid}-${Date.now().toString(36)}`
    const env = {
      ...context.env,
      CONTAINERS_RUN: run,
      // Ryuk cleans up after killed tests; the code below does that, and Ryuk's image cannot be pulled everywhere.
      TESTCONTAINERS_RYUK_DISABLED: 'true',
    }
    const code = await runThrough(process.execPath, [JEST, '--config', CONFIG, ...args], { ...context, cwd: ROOT, env })
    const left = await removeLeftovers(`${RUN_LABEL}=${run}`)
    console.log(`Left behind: ${left.description}`)
    return code === 0 && left.count > 0 ? 1 : code
  }),
)
