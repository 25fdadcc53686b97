import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import JestRuntime from 'jest-runtime'

const require = createRequire(import.meta.url)
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS')

/** How Jest loads modules: Node does. A worker then loads each module once, not again for each test file. */
export default class BareRuntime extends JestRuntime {
  unstable_shouldLoadAsEsm() {
    return true
  }

  unstable_importModule(path) {
    return import(pathToFileURL(path).href)
  }

  /** Loads the module that collects and runs a file's tests. It is a new one each time: an earlier file's handlers hide rejections. */
  requireInternalModule(path) {
    delete globalThis[EVENT_HANDLERS]
    delete require.cache[path]
    return require(path)
  }

  /** Leaves `process.getBuiltinModule` as it is. */
  installGetBuiltinModule() {}
}
