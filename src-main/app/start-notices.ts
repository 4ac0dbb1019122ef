import { statSync } from 'node:fs'
import type { Notice } from '../../src-preload/contract/app.ts'
import type { NetworksState } from '../../src-preload/contract/network.ts'
import type { ReceiverState } from '../../src-preload/contract/receiver.ts'
import type { SandboxState } from '../../src-preload/contract/sandbox.ts'
import type { AppEvents } from './app-events.ts'
import type { Notices } from './notices.ts'
import type { OpenedStore } from '../database/open-store.ts'
import type { Rescue } from '../database/rescue.ts'
import type { SwitchedOff } from '../database/restore.ts'

type Shown = Omit<Notice, 'raisedAt' | 'dismissible'> & { readonly dismissible?: false }

function show(notices: Notices, isShown: boolean, notice: Shown): void {
  if (isShown) notices.raise({ dismissible: true, ...notice })
  else notices.clear(notice.id)
}

export function notifyOfStates(notices: Notices, events: AppEvents): void {
  events.on('receiver.changed', (state) => notifyOfReceiver(notices, state))
  events.on('sandbox.changed', (state) => notifyOfSandbox(notices, state))
  events.on('network.changed', (state) => notifyOfKeys(notices, state))
}

export function notifyOfStart(
  notices: Notices,
  { rescue, missing, restore, newestBackup }: OpenedStore,
  directory: { readonly path: string; readonly mode: number },
): void {
  if (rescue !== null) {
    show(notices, true, {
      id: 'store.rescued',
      level: 'alarm',
      title: 'The database was damaged',
      detail: describeRescue(rescue, newestBackup),
    })
  } else if (missing > 0) {
    show(notices, true, {
      id: 'store.capturesMissing',
      level: 'alarm',
      title: 'The newest captures are missing',
      detail: `At least ${missing} stored captures are missing from the database. The file tondesk.db or tondesk.db-wal was deleted, truncated or replaced by an older copy while Tondesk was not running.${describeBackup(newestBackup)}`,
    })
  }
  if (restore?.kind === 'restored') {
    const off = describeSwitchedOff(restore.switchedOff)
    show(notices, true, {
      id: 'store.restored',
      level: off === '' ? 'info' : 'warning',
      title: 'Backup restored',
      detail: `Tondesk now uses the data from ${restore.name}. The previous data was saved as another backup.${off}`,
    })
  }
  if (restore?.kind === 'failed') {
    show(notices, true, {
      id: 'store.restoreFailed',
      level: 'alarm',
      title: 'Backup not restored',
      detail: `${restore.name} was not restored. ${restore.reason.replace(/\.$/, '')}. Your data is unchanged. Choose another backup.`,
    })
  }
  notifyOfOpenDirectory(notices, directory.path, directory.mode)
}

const maxNamed = 10

function describeSwitchedOff(off: SwitchedOff): string {
  const some = (names: readonly string[]) => {
    const more = names.length - maxNamed
    const shown = names.slice(0, maxNamed).map((name) => `“${name.slice(0, 100)}”`)
    return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  }
  const parts = [
    off.forwardRules.length > 0 && `Forwarding rules turned off: ${some(off.forwardRules)}.`,
    off.confirmedHosts.length > 0 && `Hosts to confirm again: ${some(off.confirmedHosts)}.`,
    off.responseRules > 0 && `Response rules turned off: ${off.responseRules}.`,
    off.alertDestinations > 0 && `Alert destinations turned off: ${off.alertDestinations}.`,
    off.watches > 0 && `Watched accounts paused: ${off.watches}.`,
    off.jobs > 0 && `Jobs paused: ${off.jobs}.`,
    off.settings.length > 0 && `Settings not taken from the backup: ${off.settings.join(', ')}.`,
  ].filter((part) => part !== false)
  if (parts.length === 0) return ''
  return ` Everything in the backup that sends, announces or writes automatically stays off until you turn it on. ${parts.join(' ')}`
}

function describeRescue(rescue: Rescue, newestBackup: string | null): string {
  const captures = rescue.rescued['captures'] ?? 0
  const result = rescue.isComplete
    ? `Tondesk repaired the database without losing data: all ${captures} captures are available.`
    : `Tondesk rescued ${captures} captures from the database.`
  const backup = rescue.isComplete ? '' : describeBackup(newestBackup)
  return `${result} The damaged file is kept unchanged as ${rescue.movedTo}.${backup}`
}

function describeBackup(newest: string | null): string {
  if (newest === null) return ''
  return ` If data is missing, restore your newest backup, ${newest}, in Settings or with "tondesk restore". The backup then replaces the current data.`
}

/** Clears the notice, because the user may have followed its advice meanwhile. */
export function clearIfPrivate(notices: Notices, directory: string): void {
  const found = statSync(directory, { throwIfNoEntry: false })
  if (found !== undefined && (found.mode & 0o077) === 0) notices.clear('store.openDirectory')
}

function notifyOfOpenDirectory(notices: Notices, directory: string, mode: number): void {
  show(notices, process.platform !== 'win32' && (mode & 0o077) !== 0, {
    id: 'store.openDirectory',
    level: 'warning',
    title: 'Other users can read the data directory',
    detail: `${directory} has mode ${(mode & 0o777).toString(8)}. Other users cannot read the database files, but may be able to read other files there. Run: chmod 700 '${directory}'`,
  })
}

function notifyOfReceiver(notices: Notices, state: ReceiverState): void {
  const { wantedPort, port } = state
  show(notices, wantedPort !== null, {
    id: 'receiver.port',
    level: 'warning',
    title: `Port ${wantedPort ?? ''} is taken`,
    detail: `The receiver listens on port ${port ?? 0} instead. Webhooks and tunnels to port ${wantedPort ?? ''} do not reach the receiver. Stop the program that uses port ${wantedPort ?? ''} and restart the receiver, or choose another receiver port in Settings.`,
  })
}

function notifyOfSandbox(notices: Notices, state: SandboxState): void {
  // A starting sandbox is neither working nor failing yet.
  if (state.status === 'starting') return
  const { status, wantedPort, urls, problem } = state
  show(notices, wantedPort !== null && urls !== null, {
    id: 'sandbox.port',
    level: 'info',
    title: `Port ${wantedPort ?? ''} is taken`,
    detail: `The sandbox listens on port ${URL.parse(urls?.query ?? '')?.port ?? ''} instead. Programs that are configured for port ${wantedPort ?? ''} do not reach the sandbox.`,
  })
  show(notices, status === 'failed', {
    id: 'sandbox.failed',
    level: 'warning',
    title: 'The sandbox could not start',
    detail: `${problem ?? ''} Tondesk tried to start the sandbox several times. Restart the sandbox on the Sandbox page, or turn it off in Settings.`,
  })
}

/** Keys are withheld if their network's URL has changed since they were entered. */
function notifyOfKeys(notices: Notices, { networks }: NetworksState): void {
  const withheld = networks.flatMap(({ name, urls, secrets }) =>
    Object.values(secrets).flatMap((kept) => {
      if (kept?.givenFor === undefined) return []
      const before = kept.givenFor.join(', ') || 'other URLs'
      return [
        `“${name}” uses ${Object.values(urls ?? {}).join(', ')}, but its key …${kept.hint} was entered for ${before}.`,
      ]
    }),
  )
  show(notices, withheld.length > 0, {
    id: 'networks.keyWithheld',
    level: 'warning',
    title: 'An API key is withheld because the URLs of its gateway changed',
    detail: `${withheld.join(' ')} Tondesk sends an API key only to the URLs that it was entered for. Correct the URLs in Settings, or, if they are right, enter the API key again.`,
  })
}

export function notifyOfIndexDamage(notices: Notices): void {
  show(notices, true, {
    id: 'store.indexDamaged',
    level: 'warning',
    title: 'The search index is damaged',
    detail:
      'Searches may fail or miss captures. The captures themselves are not affected. Restart Tondesk to rebuild the index.',
    dismissible: false,
  })
}

export function notifyOfDamage(notices: Notices, message: string): void {
  show(notices, true, {
    id: 'store.damaged',
    level: 'alarm',
    title: 'The database is damaged',
    detail: `${message}. Restart Tondesk to rescue all readable data. The damaged file is kept.`,
    dismissible: false,
  })
}
