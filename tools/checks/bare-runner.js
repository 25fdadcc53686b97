import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import circus from 'jest-circus/runner'

const require = createRequire(import.meta.url)
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS')

/** Jest's own test runner, except that Node loads the modules: a worker loads each of them once, not again for each test file. */
export default function bareRunner(globalConfig, config, environment, runtime, ...rest) {
  runtime.unstable_shouldLoadAsEsm = () => true
  runtime.unstable_importModule = (path) => import(pathToFileURL(path).href)
  // The module that collects and runs the tests. Each test file gets a new one: handlers of an earlier file would hide rejections.
  runtime.requireInternalModule = (path) => {
    delete globalThis[EVENT_HANDLERS]
    delete require.cache[path]
    return require(path)
  }
  return circus.default(globalConfig, config, environment, runtime, ...rest)
}
