import js from '@eslint/js'
import tseslint from 'typescript-eslint'

/** Import boundaries: http|consumers → use-cases → domain|persistence; domain imports only contracts. */
const SERVICES = 'api-gateway|auth-token|order-api|payment-status|checkout|webhook-dispatcher|network-simulator|ledger'
const SERVICE_IMPORT = {
  regex: `^@gateway-services/|(\\.\\./)+(services/)?(${SERVICES})/`,
  message: 'A service never imports another service.',
}
const banned = (folders, why) => ({
  'no-restricted-imports': [
    'error',
    { patterns: [SERVICE_IMPORT, { regex: `^(\\.\\./)+(${folders.join('|')})/`, message: why }] },
  ],
})

export default tseslint.config(
  { ignores: ['**/node_modules/', '.local/', 'coverage/', 'reports/', '**/dist/'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      // Trips over libraries whose typings extend a base class of another package, such as winston's transports.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', destructuredArrayIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      'max-lines-per-function': ['error', { max: 70, skipComments: true, skipBlankLines: true }],
      'no-console': 'error',
      'no-restricted-imports': ['error', { patterns: [SERVICE_IMPORT] }],
    },
  },
  // A message of a library, or of JavaScript itself, may quote a card number or a person's data. The named files read messages
  // to tell errors apart, or show those of our own errors, or of a command line to the person who typed it.
  {
    files: ['services/*/src/**/*.ts', 'packages/{contracts,service-kit,messaging,outbox}/src/**/*.ts'],
    ignores: [
      '**/*.test.ts',
      'packages/service-kit/src/{logging/describe-error,http/problem,process/lifecycle,mongo/deadlock}.ts',
      'packages/messaging/src/{end-reason,publisher}.ts',
      'services/ledger/src/domain/settlement-line.ts',
      'services/order-api/src/purge-command.ts',
      'services/webhook-dispatcher/src/clients/webhook/guarded-lookup.ts',
    ],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...[
          'MemberExpression[property.name=/^(message|stack)$/][object.name=/^(error|reason|cause|failure|thrown)$/]',
          'CallExpression[callee.name="String"][arguments.0.name=/^(error|reason|cause|failure|thrown)$/]',
        ].map((selector) => ({
          selector,
          message: 'Log the error itself: its text may quote data. Answer with a code of ours.',
        })),
      ],
    },
  },
  {
    files: ['services/*/src/{,*/}domain/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(?!@gateway/contracts$|\\./|\\.\\./errors\\.ts$|\\.\\./\\.\\./[a-z]+/index\\.ts$)',
              message: 'domain imports only contracts, itself, and the index of another room.',
            },
          ],
        },
      ],
    },
  },
  // A folder within domain.
  {
    files: ['services/*/src/domain/*/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: '^(?!@gateway/contracts$|\\./|\\.\\./[a-z-]+\\.ts$)', message: 'domain imports only contracts and itself.' },
          ],
        },
      ],
    },
  },
  {
    files: ['services/*/src/{,*/}use-cases/**/*.ts'],
    rules: banned(['http', 'consumers'], 'A use case knows neither HTTP nor messages.'),
  },
  {
    files: ['services/*/src/{,*/}persistence/**/*.ts'],
    rules: banned(['http', 'consumers', 'use-cases'], 'Persistence serves use cases.'),
  },
  {
    files: ['services/*/src/{,*/}{http,consumers}/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: banned(['persistence'], 'Entry points call use cases.'),
  },
  {
    files: ['**/*.test.ts', '**/test/**/*.ts', 'packages/testkit/**/*.ts', 'e2e/**/*.ts'],
    rules: {
      // Built into no image: the gateway is tested beside a real auth-token, started in the same process.
      'no-restricted-imports': 'off',
      'max-lines-per-function': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-empty-function': 'off',
    },
  },
  // These look into services from outside: they measure parts, fill databases, tell what all of them read. In no image.
  {
    files: [
      'tools/bench/{webhooks,plans,ledger}/**/*.ts',
      'tools/config-table/**/*.ts',
      'tools/simulation/actors/*.ts',
      'packages/sdk/scripts/*.ts',
    ],
    rules: { 'no-restricted-imports': 'off' },
  },
  {
    files: ['{infra,tools}/**/*.ts', 'packages/connector-contract/src/main.ts', 'infra/**/*.mjs', 'e2e/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.mjs', '**/*.cjs', '*.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        Buffer: 'readonly',
        module: 'readonly',
        console: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        document: 'readonly',
      },
    },
  },
)
