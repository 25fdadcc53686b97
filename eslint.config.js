import js from '@eslint/js'
import tseslint from 'typescript-eslint'

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
    },
  },
  // A message of a library, or of JavaScript itself, may quote a card number or a person's data. The named files read messages
  // to tell errors apart, or show those of our own errors, or of a command line to the person who typed it.
  {
    files: ['services/*/src/**/*.ts', 'packages/{contracts,service-kit,messaging,outbox,partitions}/src/**/*.ts'],
    ignores: [
      '**/*.test.ts',
      'packages/service-kit/src/{logging/describe-error,http/problem,process/lifecycle,mongo/commands}.ts',
      'packages/messaging/src/{errors,publisher}.ts',
      'services/ledger/src/reconciliation/domain/settlement-line.ts',
      'services/order-api/src/purge-command.ts',
      'services/webhook-dispatcher/src/sending/guarded-lookup.ts',
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
    files: ['**/*.test.ts', '**/test/**/*.ts', 'packages/testkit/**/*.ts', 'e2e/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-empty-function': 'off',
    },
  },
  {
    files: [
      '{infra,tools}/**/*.ts',
      'packages/simulation/**/*.ts',
      'packages/connector-contract/src/main.ts',
      'infra/**/*.mjs',
      'e2e/**/*.ts',
    ],
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
