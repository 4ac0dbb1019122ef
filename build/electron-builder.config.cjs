// The parts of the installed app. An unsigned build carries "-dev" in its names, so that it can never pass
// for a release.
const { readFileSync } = require('node:fs')
const { join } = require('node:path')
const { env } = require('node:process')
const manifest = require('../package.json')
const notesOf = require('./lib/release-notes.cjs')

const signed = Boolean(env.CSC_LINK || env.WIN_CSC_LINK || env.CSC_NAME)
const suffix = signed || env.TONDESK_RELEASE === '1' ? '' : '-dev'

// A deb names whom to write to and where to read more: the owner's release sets both. A workflow sets a
// variable that it does not have to an empty text.
const maintainer = env.TONDESK_MAINTAINER || 'Tondesk <tondesk@localhost.invalid>'
const homepage = env.TONDESK_HOMEPAGE || 'https://tondesk.invalid'

// Updates are off unless the owner names a feed, and the public key (Ed25519, base64 of its SPKI form)
// with which its releases are signed. See docs/packaging.md.
const feed = env.TONDESK_UPDATE_FEED
const updates = feed ? { feed, publicKey: env.TONDESK_UPDATE_KEY ?? '' } : null

const changelog = readFileSync(join(__dirname, '..', 'CHANGELOG.md'), 'utf8')

/**
 * What goes into the archive: the build, and of the one module left outside it, the keychain's, its
 * loader and one platform's prebuilt binary. A list for each platform, as a platform's own list
 * takes the place of a common one instead of adding to it.
 */
const filesFor = (name) => [
  'out/**',
  'package.json',
  'LICENSE',
  '!out/.stamp',
  '!**/*.map',
  '!**/keytar/{build,script,src}/**',
  '!**/keytar/{binding.gyp,README.md,keytar.d.ts}',
  '!**/node-addon-api/**',
  `!**/keytar/prebuilds/!(${name}-\${arch})/**`,
]

/** Files that Tondesk offers to open. Other programs have them too, so Tondesk takes them from none. */
const openedFiles = [
  { ext: 'har', name: 'HTTP archive', mimeType: 'application/x-har+json' },
  { ext: ['jsonl', 'ndjson'], name: 'JSON lines', mimeType: 'application/x-ndjson' },
  { ext: ['yaml', 'yml'], name: 'Webhook subscriptions', mimeType: 'application/yaml' },
]

const inLinuxFolder = (file) => join(__dirname, 'linux', file)

/** Files of a Linux package beside the app: fpm's `source=target`. */
const linuxFiles = [
  `${inLinuxFolder('mime.xml')}=/usr/share/mime/packages/org.tondesk.Tondesk.xml`,
  `${inLinuxFolder('copyright')}=/usr/share/doc/${manifest.name}/copyright`,
]

/** @type {import('electron-builder').Configuration} */
module.exports = {
  appId: 'org.tondesk.Tondesk',
  productName: 'Tondesk',
  executableName: 'tondesk',
  copyright: null,
  directories: { output: 'dist', buildResources: 'build/icons' },
  artifactName: `\${name}-\${version}-\${os}-\${arch}${suffix}.\${ext}`,
  extraMetadata: { homepage, ...(updates && { updates }) },
  protocols: [{ name: 'Tondesk link', schemes: ['tondesk'], role: 'Viewer' }],
  asar: true,
  asarUnpack: ['**/*.node'],
  // The one native module is N-API with prebuilt binaries: nothing to rebuild for Electron.
  npmRebuild: false,
  nodeGypRebuild: false,
  electronFuses: {
    runAsNode: false,
    enableCookieEncryption: true,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    loadBrowserProcessSpecificV8Snapshot: false,
    grantFileProtocolExtraPrivileges: false,
    // A flipped fuse breaks the signature Electron comes with, and Apple silicon starts nothing unsigned.
    resetAdHocDarwinSignature: !signed,
  },
  linux: {
    target: ['deb', 'rpm', 'AppImage'],
    icon: 'build/icons',
    maintainer,
    category: 'Development',
    synopsis: 'Webhook inspector, chain explorer and invoice desk for a TON gateway',
    // The desktop finds a window's entry, with its name and icon, by `desktopName` of package.json.
    syncDesktopName: true,
    mimeTypes: openedFiles.map(({ mimeType }) => mimeType),
    desktop: {
      entry: {
        GenericName: 'Webhook inspector',
        Keywords: 'TON;webhook;HTTP;blockchain;invoice;',
      },
    },
    files: filesFor('linux'),
  },
  deb: {
    packageCategory: 'devel',
    // Electron's own needs, and libsecret, through which the keychain is reached.
    depends: [
      'libc6',
      'libasound2t64 | libasound2',
      'libgbm1',
      'libgtk-3-0',
      'libnotify4',
      'libnss3',
      'libxss1',
      'libxtst6',
      'xdg-utils',
      'libatspi2.0-0',
      'libuuid1',
      'libsecret-1-0',
    ],
    fpm: [
      ...linuxFiles,
      `${inLinuxFolder('lintian-overrides')}=/usr/share/lintian/overrides/${manifest.name}`,
    ],
  },
  rpm: {
    packageCategory: 'Development/Tools',
    depends: [
      '(alsa-lib or libasound2)',
      '(mesa-libgbm or libgbm1)',
      'gtk3',
      'libnotify',
      'nss',
      'libXScrnSaver',
      '(libXtst or libXtst6)',
      'xdg-utils',
      'at-spi2-core',
      '(libuuid or libuuid1)',
      '(libsecret or libsecret-1-0)',
    ],
    fpm: linuxFiles,
  },
  mac: {
    target: ['dmg', 'zip'].map((target) => ({ target, arch: ['x64', 'arm64'] })),
    icon: 'build/icons/icon.icns',
    category: 'public.app-category.developer-tools',
    hardenedRuntime: true,
    fileAssociations: openedFiles.map(({ ext, name }) => ({
      ext,
      name,
      role: 'Viewer',
      rank: 'Alternate',
    })),
    files: filesFor('darwin'),
  },
  win: {
    target: ['nsis', 'portable'],
    icon: 'build/icons/icon.ico',
    files: filesFor('win32'),
  },
  nsis: {
    oneClick: false,
    perMachine: false,
    allowToChangeInstallationDirectory: true,
    // electron-builder's own file associations would make Tondesk the default program for the files.
    include: join(__dirname, 'windows', 'installer.nsh'),
  },
  // Without its own name it would overwrite the installer, which has the same extension.
  portable: { artifactName: `\${name}-\${version}-\${os}-\${arch}-portable${suffix}.\${ext}` },
  // An older app shows them before it downloads this version.
  releaseInfo: { releaseNotes: notesOf(changelog, manifest.version) },
  publish: updates && { provider: 'generic', url: updates.feed },
}
