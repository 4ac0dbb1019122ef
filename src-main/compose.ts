import type { Dispatch } from './bridge/dispatch.ts'
import type { EventHub } from './bridge/events.ts'

export type AppConfig = {
  /** Created with mode 0700 if absent. One process holds it at a time. */
  readonly dataDirectory: string
  readonly host: 'electron' | 'browser' | 'cli'
  readonly version: string
  /** Parse every answer with its schema; on in tests. */
  readonly checkOutput?: boolean
  /** Overrides the remembered receiver port, for this run only; 0 takes any free one. */
  readonly receiverPort?: number
  /** Asked by `app.restart`: end this app and start it again in the same data directory. */
  readonly restart?: () => void
  /**
   * Asked over the local socket by `tondesk open` and by a second start. Browser mode mints another
   * start URL, Electron brings its window to the front and answers null.
   */
  readonly open?: () => Promise<{ url: string | null }>
}

/** The whole of Tondesk but for its transports. */
export type App = {
  readonly dispatch: Dispatch
  readonly events: EventHub
  /** Stops accepting, drains what was accepted, closes everything. Safe to call twice. */
  dispose(): Promise<void>
}

/**
 * Opens the data directory (lock, migrations, rescue), starts the receiver and answers for all routes.
 * @throws AppError DATA_DIRECTORY_HELD, DATABASE_TOO_NEW, DATABASE_UNWRITABLE
 */
export function createApp(config: AppConfig): Promise<App> {
  return Promise.reject(new Error(`not built yet: ${config.dataDirectory}`))
}
