/** Installs newer versions with electron-updater, which can replace each kind of package. */
import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { app } from 'electron'
import type { AppUpdater } from 'electron-updater'
import type { Log } from '../app/log.ts'
import {
  type SignedRelease,
  type UpdateSource,
  parseSignedRelease,
  parseUpdateSource,
  releaseBytes,
} from '../app/release-signature.ts'
import type { UpdateHost } from '../app/context.ts'

const maxNotesLength = 20_000

/** Undefined if this build names no update feed, or if its kind of package cannot replace itself. */
export function createUpdateHost(log: Log): UpdateHost | undefined {
  const source = app.isPackaged ? sourceOfBuild() : sourceForTests(process.env)
  // Windows runs a portable build from a temporary folder, so there is nothing to install over.
  if (source === null || process.env['PORTABLE_EXECUTABLE_FILE'] !== undefined) return undefined
  const { feed, publicKey } = source
  let loaded: Promise<AppUpdater> | undefined
  // The updater is loaded for the first check, because a start without a check does not need it.
  const load = () =>
    (loaded ??= loadUpdater(feed, log).then((updater) => {
      const isSupported = updater.isUpdateSupported
      // electron-updater calls this before it prepares a release, so it never prepares an unsigned one.
      updater.isUpdateSupported = (info) =>
        parseSignedRelease(info, publicKey) !== null && isSupported(info)
      updater.on('update-available', (info) => (locked = parseSignedRelease(info, publicKey)))
      return updater
    }))
  /** The release that electron-updater would download. */
  let locked: SignedRelease | null = null
  /** The release that the last successful check showed to the user. */
  let offered: SignedRelease | null = null

  return {
    async check() {
      const result = await (await load()).checkForUpdates().catch(explain)
      if (result === null) throw new Error('This installation cannot be updated by the app itself.')
      const release = parseSignedRelease(result.updateInfo, publicKey)
      if (release === null) {
        throw new Error(
          `Version ${result.updateInfo.version} is not signed with the key of this build, so it was refused.`,
        )
      }
      offered = result.isUpdateAvailable ? release : null
      if (offered === null) return null
      const notes = release.releaseNotes?.slice(0, maxNotesLength) ?? null
      return { version: release.version, notes }
    },
    async download(onPercent) {
      const updater = await load()
      const release = offered
      if (
        release === null ||
        locked === null ||
        !releaseBytes(locked).equals(releaseBytes(release))
      ) {
        throw new Error('The update feed has changed since the check. Check for updates again.')
      }
      const report = ({ percent }: { percent: number }) => onPercent(Math.floor(percent))
      updater.on('download-progress', report)
      try {
        const [file] = await updater.downloadUpdate().catch(explain)
        // electron-updater installs on `quit`, without reading the file again.
        app.on('will-quit', () => {
          if (isFileOf(release, file)) return
          updater.autoInstallOnAppQuit = false
          log.write(
            'warn',
            'The downloaded update was changed on the disk, so it is not installed.',
          )
        })
      } finally {
        updater.off('download-progress', report)
      }
    },
  }
}

function isFileOf(release: SignedRelease, file: string | undefined): boolean {
  try {
    const sha512 = hash('sha512', readFileSync(file ?? ''), 'base64')
    return release.files.some((signed) => signed.sha512 === sha512)
  } catch {
    return false
  }
}

function sourceOfBuild(): UpdateSource | null {
  const manifest = join(app.getAppPath(), 'package.json')
  return parseUpdateSource(JSON.parse(readFileSync(manifest, 'utf8')))
}

/** Ignored in an installed app, because an environment variable must not choose what the app installs. */
function sourceForTests(env: NodeJS.ProcessEnv): UpdateSource | null {
  const { TONDESK_UPDATE_FEED: feed, TONDESK_UPDATE_KEY: publicKey } = env
  if (feed === undefined || publicKey === undefined) return null
  return /^http:\/\/127\.0\.0\.1:\d+\/$/.test(feed) ? { feed, publicKey } : null
}

async function loadUpdater(feed: string, log: Log): Promise<AppUpdater> {
  const { autoUpdater } = await import('electron-updater')
  autoUpdater.logger = {
    info: (message: unknown) => log.write('debug', String(message)),
    warn: (message: unknown) => log.write('warn', String(message)),
    // Each error is also thrown to the caller, who logs it.
    error: (message: unknown) => log.write('debug', String(message)),
  }
  // Without a listener the event would be an uncaught error.
  autoUpdater.on('error', () => undefined)
  autoUpdater.autoDownload = false
  autoUpdater.autoInstallOnAppQuit = true
  autoUpdater.allowDowngrade = false
  autoUpdater.allowPrerelease = false
  autoUpdater.disableWebInstaller = true
  if (!app.isPackaged) {
    autoUpdater.forceDevUpdateConfig = true
    const config = join(app.getPath('userData'), 'update.yml')
    // JSON is valid YAML.
    writeFileSync(config, JSON.stringify({ updaterCacheDirName: 'tondesk-updater' }))
    autoUpdater.updateConfigPath = config
  }
  autoUpdater.setFeedURL({ provider: 'generic', url: feed })
  return autoUpdater
}

/** @throws Error with a sentence for the user */
function explain(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const sentence =
    code === 'ERR_CHECKSUM_MISMATCH'
      ? 'The downloaded file is not the one that the release names, so it was deleted. Try again later.'
      : code === 'ERR_UPDATER_INVALID_SIGNATURE'
        ? 'The downloaded file is not signed by the publisher of this app, so it was deleted.'
        : `The update feed could not be read. ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''}`
  throw new Error(sentence, { cause: error })
}
