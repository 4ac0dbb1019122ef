import hooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'

/**
 * What each room may import of the platform. Which room of main may import which other one is in
 * test/unit/rooms.test.ts.
 */
const only = (files, message, patterns, ignores = []) => ({
  files,
  ignores,
  rules: {
    'no-restricted-imports': [
      'error',
      { patterns: patterns.map((regex) => ({ regex, message, allowTypeImports: false })) },
    ],
  },
})

const electronHomes = ['src-main/main.ts', 'src-main/bridge/electron.ts', 'src-main/desktop/**']

export default tseslint.config(
  { ignores: ['out', 'dist', 'node_modules', 'test-results', '.cache'] },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      'no-duplicate-imports': 'error',
      // A name taken out of an object is what the rest goes without, as in TypeScript's own check.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-invalid-void-type': ['error', { allowInGenericTypeArguments: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: true },
      ],
      // TypeScript refuses enums here (erasableSyntaxOnly), and these two took a sixth of the time.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      'no-console': 'error',
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
      eqeqeq: 'error',
    },
  },
  {
    files: ['**/*.config.ts'],
    rules: { 'no-restricted-exports': 'off' },
  },
  { files: ['src-renderer/**'], extends: [hooks.configs.flat['recommended-latest']] },
  only(['src-preload/domain/**'], 'The domain imports its own files only.', ['^(?!\\./)']),
  only(
    ['src-preload/contract/**'],
    'The contract imports zod, the domain and its own files only.',
    ['^(?!zod$|\\./|\\.\\./domain/)'],
  ),
  only(['src-preload/preload.ts'], 'The preload imports electron and types.', [
    '^(?!electron$|\\./(contract|domain)/)',
  ]),
  only(['src-renderer/**'], 'The window knows the contract, React and its own rooms.', [
    '^node:',
    '^(electron|keytar|undici|hono|ws|zod)($|/)',
    'src-main',
    'src-preload/(?!(contract|domain)/)',
  ]),
  only(['src-renderer/ui/**'], 'The design system has no knowledge of the app.', [
    '^\\.\\./',
    'src-preload',
    'src-main',
    '^(electron|zod)($|/)',
    '^node:',
  ]),
  only(
    ['src-main/**'],
    'Electron lives in main.ts, bridge/electron.ts and desktop/ only; SQL in database/ and in stores; undici in gateway/http.ts, delivery/sender/ and sandbox/deliver/.',
    ['^electron($|/)', '^node:sqlite$', '^undici($|/)', 'src-renderer', 'src-preload/preload'],
    [
      ...electronHomes,
      'src-main/**/store/**',
      'src-main/database/**',
      'src-main/gateway/http.ts',
      'src-main/delivery/sender/**',
      'src-main/sandbox/deliver/**',
    ],
  ),
  only(electronHomes, 'Electron homes hold no SQL and no HTTP client.', [
    '^node:sqlite$',
    '^undici($|/)',
    'src-renderer',
  ]),
  only(
    ['src-main/**/store/**', 'src-main/database/**'],
    'A store knows SQLite, and no HTTP client.',
    ['^electron($|/)', '^undici($|/)', 'src-renderer', 'src-preload/preload'],
  ),
  {
    files: ['build/**/*.mjs', '*.js'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
  },
)
