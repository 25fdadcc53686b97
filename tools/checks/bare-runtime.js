import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import JestRuntime from 'jest-runtime'

const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS')

/** Makes Jest load modules with Node's `import()`. A worker then loads each module once, not again for each test file. */
export default class BareRuntime extends JestRuntime {
  unstable_shouldLoadAsEsm() {
    return true
  }

  unstable_importModule(path) {
    return import(pathToFileURL(path).href)
  }

  /** The module that runs a file's tests, anew for each file: else the handlers of an earlier file swallow its rejections. */
  requireInternalModule(path) {
    // A new one each time, since it keeps what it has loaded.
    const require = createRequire(import.meta.url)
    delete globalThis[EVENT_HANDLERS]
    delete require.cache[path]
    return require(path)
  }

  /** Leaves `process.getBuiltinModule` as it is. */
  installGetBuiltinModule() {}
}
