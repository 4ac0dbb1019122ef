import hooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'

/** Rooms and what each may import of ours and of the platform: design decision in docs/architecture.md. */
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

const rooms = [
  'bridge',
  'desktop',
  'explorer',
  'files',
  'gateway',
  'inspector',
  'invoices',
  'jobs',
  'networks',
  'receiver',
  'sandbox',
  'secrets',
  'store',
  'subscriptions',
  'ton',
]

/** Matches a relative import of any room of main but those named. */
const roomsExcept = (...allowed) =>
  `^\\.\\.?/.*(?<=\\.\\./)(${rooms.filter((room) => !allowed.includes(room)).join('|')})/`

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
    '^\\.\\./(?!styles/)',
    'src-preload',
    'src-main',
    '^(electron|zustand|zod)($|/)',
    '^node:',
  ]),
  only(
    ['src-main/**'],
    'Electron lives in main.ts, bridge/electron.ts and desktop/ only; SQL in store/; undici in gateway/http.ts and inspector/send/.',
    ['^electron($|/)', '^node:sqlite$', '^undici($|/)', 'src-renderer', 'src-preload/preload'],
    [
      ...electronHomes,
      'src-main/store/**',
      'src-main/gateway/http.ts',
      'src-main/inspector/send/**',
      'src-main/sandbox/**',
    ],
  ),
  only(electronHomes, 'Electron homes hold no SQL and no HTTP client.', [
    '^node:sqlite$',
    '^undici($|/)',
    'src-renderer',
  ]),
  only(['src-main/ton/**'], 'What is known of TON is pure: @ton/core and its own files only.', [
    '^(?!@ton/core$|\\./)',
  ]),
  only(
    ['src-main/sandbox/**'],
    'The sandbox is a program of its own: it knows ton and libraries, and has SQL in sandbox/store, HTTP out in sandbox/deliver.',
    [
      '^electron($|/)',
      '^node:sqlite$',
      '^undici($|/)',
      roomsExcept('ton', 'sandbox', 'store', 'invoices'),
      'src-preload',
      'compose',
    ],
    ['src-main/sandbox/store/**', 'src-main/sandbox/deliver/**'],
  ),
  only(
    ['src-main/gateway/**'],
    'Clients of the service know the contract and ton.',
    ['^electron($|/)', '^node:sqlite$', roomsExcept('gateway', 'ton'), 'compose'],
    ['src-main/gateway/http.ts'],
  ),
  only(['src-main/store/**'], 'The store knows the contract and SQLite, no other room.', [
    '^(electron|undici)($|/)',
    roomsExcept('store'),
    'compose',
  ]),
  ...['receiver', 'secrets'].map((room) =>
    only(
      [`src-main/${room}/**`],
      'A room takes what it needs as arguments; it knows the contract and the types of the store.',
      ['^(electron|undici)($|/)', '^node:sqlite$', roomsExcept(room, 'store'), 'compose'],
    ),
  ),
  ...['files', 'jobs'].map((room) =>
    only([`src-main/${room}/**`], 'What rooms share knows the contract and types of the gateway.', [
      '^(electron|undici)($|/)',
      '^node:sqlite$',
      roomsExcept(room, 'gateway'),
      'compose',
    ]),
  ),
  ...['explorer', 'inspector', 'invoices', 'subscriptions'].map((room) =>
    only(
      [`src-main/${room}/**`],
      'A room takes what it needs as arguments; this one knows ton, files, jobs, the contract and the types of gateway and store.',
      [
        '^(electron|undici)($|/)',
        '^node:sqlite$',
        roomsExcept(room, 'ton', 'files', 'jobs', 'gateway', 'store'),
        'compose',
      ],
      ['src-main/inspector/send/**'],
    ),
  ),
  only(
    ['src-main/inspector/send/**'],
    'What sends to targets knows undici, the contract and the types of the store.',
    ['^electron($|/)', '^node:sqlite$', roomsExcept('inspector', 'store'), 'compose'],
  ),
  {
    files: ['build/**/*.mjs', '*.js'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
  },
)
