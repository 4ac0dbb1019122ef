/** What the window asks of the app itself: what it is, its notices, settings, backups and files. */
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { CaptureLog } from '../captures/capture-log.ts'
import { usedBytes } from '../database/database.ts'
import { createBackups } from './backups.ts'
import type { BaseContext } from './context.ts'

type Domain = 'app' | 'notice' | 'settings' | 'backup' | 'export'

export function createAppHandlers(
  context: BaseContext,
  { index, indexDatabase, writer }: CaptureLog,
): Pick<Handlers, Extract<keyof Handlers, `${Domain}.${string}`>> {
  const { config, database, events, files, notices, paths, settings } = context
  return {
    ...files.handlers,
    ...createBackups({
      paths,
      copyDatabase: (to) => index.ask('copyDatabase', { to }),
      now: () => new Date(),
    }),
    'app.info': () => ({
      version: config.version,
      host: config.host,
      dataDirectory: paths.directory,
      platform: `${process.platform} ${process.arch}`,
      node: process.versions.node,
      ...electronVersion(),
      sqlite: process.versions['sqlite'] ?? '',
      processId: process.pid,
    }),
    async 'app.checkIntegrity'() {
      const problems = await index.ask('checkIntegrity')
      const [message] = problems
      if (message !== undefined) events.emit('database.damaged', { message })
      return {
        ok: problems.length === 0,
        problems,
        captures: writer.state().total,
        databaseBytes: usedBytes(database),
        indexBytes: usedBytes(indexDatabase),
      }
    },
    'app.restart'() {
      config.restart?.()
      return {}
    },
    'notice.list': () => notices.list(),
    'notice.dismiss'({ id }) {
      notices.dismiss(id)
      return {}
    },
    'settings.get': () => settings.get(),
    'settings.change': (patch) => settings.change(patch),
  }
}

function electronVersion(): { electron?: string } {
  // Node's types know nothing of Electron, which is not there outside it.
  const versions: Readonly<Record<string, string | undefined>> = process.versions
  return versions['electron'] === undefined ? {} : { electron: versions['electron'] }
}
