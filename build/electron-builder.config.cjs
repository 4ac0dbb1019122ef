// What the installed app is made of. An unsigned build carries "-dev" in its names, so that it can
// never pass for a release.
const { env } = require('node:process')

const signed = Boolean(env.CSC_LINK || env.WIN_CSC_LINK || env.CSC_NAME)
const suffix = signed || env.TONDESK_RELEASE === '1' ? '' : '-dev'

// A deb names whom to write to and where to read more: the owner's release sets both.
const maintainer = env.TONDESK_MAINTAINER ?? 'Tondesk <tondesk@localhost.invalid>'
const homepage = env.TONDESK_HOMEPAGE ?? 'https://tondesk.invalid'

/**
 * What goes into the archive: the build, and of the one module left outside it, the keychain's, its
 * loader and one platform's prebuilt binary. A list for each platform, as a platform's own list
 * takes the place of a common one instead of adding to it.
 */
const filesFor = (name) => [
  'out/**',
  'package.json',
  '!out/.stamp',
  '!**/*.map',
  '!**/keytar/{build,script,src}/**',
  '!**/keytar/{binding.gyp,README.md,keytar.d.ts}',
  '!**/node-addon-api/**',
  `!**/keytar/prebuilds/!(${name}-\${arch})/**`,
]

/** @type {import('electron-builder').Configuration} */
module.exports = {
  appId: 'org.tondesk.Tondesk',
  productName: 'Tondesk',
  executableName: 'tondesk',
  copyright: null,
  directories: { output: 'dist', buildResources: 'build/icons' },
  artifactName: `\${name}-\${version}-\${os}-\${arch}${suffix}.\${ext}`,
  extraMetadata: { homepage },
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
    target: ['AppImage', 'deb'],
    icon: 'build/icons',
    maintainer,
    category: 'Development',
    synopsis: 'Webhook inspector, chain explorer and invoice desk for a TON gateway',
    files: filesFor('linux'),
  },
  deb: {
    // Electron's own needs, and libsecret, through which the keychain is reached.
    depends: [
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
  },
  mac: {
    target: ['dmg'],
    icon: 'build/icons/icon.png',
    category: 'public.app-category.developer-tools',
    hardenedRuntime: true,
    files: filesFor('darwin'),
  },
  win: {
    target: ['nsis'],
    icon: 'build/icons/icon.png',
    files: filesFor('win32'),
  },
  nsis: { oneClick: false, perMachine: false, allowToChangeInstallationDirectory: true },
  publish: null,
}
