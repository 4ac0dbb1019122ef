import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { runQuietly } from './child.mjs'

/** The files that a deb of the app must contain beside the app itself. */
const requiredFiles = [
  './opt/Tondesk/tondesk',
  './opt/Tondesk/resources/app.asar',
  './opt/Tondesk/resources/apparmor-profile',
  './usr/share/applications/org.tondesk.Tondesk.desktop',
  './usr/share/doc/tondesk/copyright',
  './usr/share/icons/hicolor/16x16/apps/tondesk.png',
  './usr/share/icons/hicolor/512x512/apps/tondesk.png',
  './usr/share/mime/packages/org.tondesk.Tondesk.xml',
]

const requiredEntries = [
  /^Exec=\/opt\/Tondesk\/tondesk %U$/m,
  /^Icon=tondesk$/m,
  /^StartupWMClass=org\.tondesk\.Tondesk$/m,
  /^MimeType=.*x-scheme-handler\/tondesk;/m,
]

async function output(command, args, options) {
  const { exitCode, output: text } = await runQuietly(command, args, options)
  if (exitCode !== 0) throw new Error(`${command} failed: ${text}`)
  return text
}

async function isInstalled(command) {
  const found = await runQuietly(command, ['--help']).catch(() => null)
  return found?.exitCode === 0
}

/**
 * Assembles a deb for this computer with electron-builder and inspects it.
 * @param pack runs electron-builder for the target `deb`
 * @returns `checks`, a line for each verified property; `problems`; `skipped`, a sentence or null
 */
export async function checkDeb(folder, pack) {
  if (process.platform !== 'linux' || !(await isInstalled('dpkg-deb'))) {
    return { checks: [], problems: [], skipped: 'no deb: this computer has no dpkg-deb.' }
  }
  const packed = await pack()
  if (packed.exitCode !== 0) {
    return { checks: [], problems: [`electron-builder failed:\n${packed.output}`], skipped: null }
  }
  const name = readdirSync(join(folder, 'dist')).find((each) => each.endsWith('.deb'))
  if (name === undefined) return { checks: [], problems: ['no deb was made'], skipped: null }
  const deb = join(folder, 'dist', name)
  const listed = (await output('dpkg-deb', ['--contents', deb]))
    .split('\n')
    .map((line) => line.trim().split(/\s+/)[5])
  const content = join(folder, 'deb')
  await output('dpkg-deb', ['--extract', deb, content])
  const entryFile = join(content, 'usr/share/applications/org.tondesk.Tondesk.desktop')
  const entry = existsSync(entryFile) ? readFileSync(entryFile, 'utf8') : ''
  const problems = [
    ...requiredFiles
      .filter((file) => !listed.includes(file))
      .map((file) => `${name} lacks ${file}`),
    ...requiredEntries
      .filter((wanted) => !wanted.test(entry))
      .map((wanted) => `the desktop entry does not match ${String(wanted)}`),
  ]
  const checks = [
    `${name}: assembled with dpkg-deb; ${listed.length - 1} entries, ${requiredFiles.length} required ones among them`,
    'desktop entry: program with %U, icon, window class org.tondesk.Tondesk, links of tondesk://',
  ]
  const field = async (key) => (await output('dpkg-deb', ['--field', deb, key])).trim()
  checks.push(`depends on ${await field('Depends')}`, `maintainer ${await field('Maintainer')}`)
  if (await isInstalled('desktop-file-validate')) {
    const { exitCode, output: said } = await runQuietly('desktop-file-validate', [entryFile])
    if (exitCode === 0) checks.push('desktop-file-validate: no error')
    else problems.push(`desktop-file-validate: ${said.trim()}`)
  }
  if (!(await isInstalled('lintian'))) {
    return {
      checks,
      problems,
      skipped: 'lintian is not installed, so the deb was not linted: apt-get install lintian',
    }
  }
  // When lintian runs as root, it prints a warning into its report.
  const lint = await runQuietly('lintian', [
    '--fail-on',
    'error',
    '--allow-root',
    '--tag-display-limit',
    '0',
    deb,
  ])
  const tags = lint.output.split('\n').filter((line) => /^[EW]: /.test(line))
  const errors = tags.filter((line) => line.startsWith('E: '))
  problems.push(...errors.map((line) => `lintian: ${line}`))
  if (lint.exitCode !== 0 && errors.length === 0) problems.push(`lintian failed: ${lint.output}`)
  if (errors.length === 0) {
    checks.push(`lintian: no error, ${tags.length} warnings`, ...tags.map((line) => `  ${line}`))
  }
  return { checks, problems, skipped: null }
}
