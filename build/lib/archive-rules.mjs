import { builtinModules } from 'node:module'
import { posix } from 'node:path'

/** Files without which the installed app does not start. */
export const required = [
  'package.json',
  'LICENSE',
  'out/main/main.js',
  'out/main/serve.js',
  'out/main/cli.js',
  'out/main/writer-thread.js',
  'out/main/index-thread.js',
  'out/main/task-process.js',
  'out/main/fonts/NotoSans_400Regular.ttf',
  'out/main/fonts/NotoSans_600SemiBold.ttf',
  'out/main/fonts/LICENSE.txt',
  'out/main/skill/SKILL.md',
  'out/main/tray/receiving.png',
  'out/main/tray/receiving-large.png',
  'out/main/tray/receivingTemplate.png',
  'out/preload/preload.cjs',
  'out/renderer/index.html',
  'out/renderer/about/changelog.txt',
  'out/renderer/about/licences.json',
  'out/renderer/about/sbom.cdx.json',
  'node_modules/keytar/package.json',
  'node_modules/keytar/lib/keytar.js',
]

const allowed = [
  /^package\.json$/,
  /^LICENSE$/,
  /^out\/main\/[\w-]+\.js$/,
  /^out\/main\/fonts\/(\w+\.ttf|LICENSE\.txt)$/,
  /^out\/main\/skill\/SKILL\.md$/,
  /^out\/main\/tray\/[a-z]+(Template|-large)?(@[\d.]+x)?\.png$/i,
  /^out\/preload\/preload\.cjs$/,
  /^out\/renderer\/about\/(changelog\.txt|licences\.json|sbom\.cdx\.json)$/,
  /^out\/renderer\/(index\.html|favicon\.svg|assets\/[\w.-]+\.(js|css|svg|png|woff2))$/,
  /^node_modules\/keytar\/(package\.json|LICENSE\.md|lib\/keytar\.js)$/,
]

/** Returns the files that are missing in an archive, and those that do not belong there. */
export function verifyFiles(files, target) {
  const prebuild = `node_modules/keytar/prebuilds/${target}/keytar.node`
  const missing = [...required, prebuild].filter((file) => !files.includes(file))
  const extra = files.filter(
    (file) => file !== prebuild && !allowed.some((pattern) => pattern.test(file)),
  )
  return [
    ...missing.map((file) => `${file} is missing`),
    ...extra.map((file) => `${file} has no place in it`),
  ]
}

const secretShapes = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /_authToken/,
  /\b(?:ghp|npm)_[A-Za-z0-9]{30}/,
  /\/\/# sourceMappingURL=/,
]

/** Finds texts that no release may contain: folders of this computer, secrets, source maps. */
export function verifyText(file, text, folders) {
  return [
    ...folders
      .filter((folder) => text.includes(folder))
      .map(() => `${file} names a folder of this computer`),
    ...secretShapes
      .filter((shape) => shape.test(text))
      .map((shape) => `${file} matches ${String(shape)}`),
  ]
}

/** Returns the modules that a script imports and the installed app cannot resolve. */
export function verifyImports(file, specifiers, files) {
  const builtin = new Set(builtinModules)
  const resolves = (name) =>
    name.startsWith('node:') ||
    builtin.has(name) ||
    name === 'electron' ||
    name === 'keytar' ||
    (name.startsWith('.') && files.includes(posix.join(posix.dirname(file), name)))
  return specifiers
    .filter((name) => !resolves(name))
    .map((name) => `${file} imports ${name}, which is not in it`)
}

/** The limit is twice the present size: a larger archive contains something by mistake. */
const maxArchiveBytes = 40 * 1024 * 1024

export function verifySize(bytes) {
  return bytes <= maxArchiveBytes ? [] : [`the archive has ${bytes} bytes, over ${maxArchiveBytes}`]
}

const permissive = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'OFL-1.1',
  'Unlicense',
])

/**
 * Returns errors in the bill of materials (CycloneDX) and in the licences: a package whose licence
 * requires more than its text, or one without a text.
 */
export function verifyBill(bill, { packages, texts }) {
  const names = bill.components.map(({ purl }) => purl)
  // One permissive alternative is enough; licences joined by AND all apply.
  const isPermissive = (licence) =>
    licence
      .replaceAll(/[()]/g, '')
      .split(' AND ')
      .every((each) => each.split(' OR ').some((name) => permissive.has(name)))
  return [
    ...(packages.length === names.length ? [] : ['the bill and the licences list other packages']),
    ...['electron', '@github/keytar', 'undici', 'react']
      .filter((name) => !packages.some((each) => each.name === name))
      .map((name) => `the bill lacks ${name}`),
    ...packages
      .filter(({ licence }) => !isPermissive(licence))
      .map(({ name, licence }) => `${name} has the licence ${licence}`),
    ...packages
      .filter((each) => !each.texts.some((index) => texts[index]))
      .map(({ name }) => `${name} has no licence text`),
  ]
}
