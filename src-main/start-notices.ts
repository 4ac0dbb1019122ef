import type { ReceiverState, SandboxState } from '../src-preload/contract/index.ts'
import type { Notices } from './notices.ts'
import type { OpenedStore } from './store/open-store.ts'

/** What opening the store has to tell. */
export function tellOfStore(notices: Notices, { rescue, restored }: OpenedStore): void {
  if (rescue !== null) {
    const captures = rescue.rescued['captures'] ?? 0
    notices.raise({
      id: 'store.rescued',
      level: 'alarm',
      title: 'The database was damaged',
      detail: `${captures} captures could be read from it and are here. The damaged file was kept as it was: ${rescue.movedTo}`,
      dismissible: true,
    })
  }
  if (restored !== null) {
    notices.raise({
      id: 'store.restored',
      level: 'info',
      title: 'Backup restored',
      detail: `${restored} is in place. What was there before is among the backups.`,
      dismissible: true,
    })
  }
}

/** What the receiver's state has to tell; clears what is over. */
export function tellOfReceiver(notices: Notices, state: ReceiverState): void {
  if (state.wantedPort === null) notices.clear('receiver.port')
  else {
    notices.raise({
      id: 'receiver.port',
      level: 'warning',
      title: `Port ${state.wantedPort} is taken`,
      detail: `The receiver listens on ${state.port ?? 0} instead. Webhooks and tunnels that point at ${state.wantedPort} do not reach it: end the other program and start the receiver again, or change the port in Settings.`,
      dismissible: true,
    })
  }
  if (state.problem === null) notices.clear('receiver.failed')
  else {
    notices.raise({
      id: 'receiver.failed',
      level: 'alarm',
      title: 'The receiver is not listening',
      detail: state.problem,
      dismissible: false,
    })
  }
}

/** What the sandbox's state has to tell; clears what is over. */
export function tellOfSandbox(notices: Notices, state: SandboxState): void {
  // A start under way tells nothing yet: neither that it is well again nor that it is not.
  if (state.status === 'starting') return
  if (state.wantedPort === null || state.urls === null) notices.clear('sandbox.port')
  else {
    notices.raise({
      id: 'sandbox.port',
      level: 'info',
      title: `Port ${state.wantedPort} is taken`,
      detail: `The sandbox listens on ${new URL(state.urls.query).port} instead. A backend of yours that points at ${state.wantedPort} does not reach it.`,
      dismissible: true,
    })
  }
  if (state.status !== 'failed') notices.clear('sandbox.failed')
  else {
    notices.raise({
      id: 'sandbox.failed',
      level: 'warning',
      title: 'The sandbox does not start',
      detail: `${state.problem ?? ''} It was tried several times. Restart it on the Sandbox page, or turn it off in Settings.`,
      dismissible: true,
    })
  }
}

/** Captures cannot be written, or can again (null). */
export function tellOfWriting(notices: Notices, problem: string | null, forGood: boolean): void {
  if (problem === null) {
    notices.clear('store.unwritable')
    return
  }
  const wayOut = forGood
    ? 'Restart Tondesk.'
    : 'Free some space or mend the disk; Tondesk goes on by itself.'
  notices.raise({
    id: 'store.unwritable',
    level: 'alarm',
    title: 'Captures cannot be written',
    detail: `Deliveries are answered 503, so the gateway will send them again. ${problem}. ${wayOut}`,
    dismissible: false,
  })
}

/** Damage met while running: the next start rescues what can be read. */
export function tellOfDamage(notices: Notices, message: string): void {
  notices.raise({
    id: 'store.damaged',
    level: 'alarm',
    title: 'The database is damaged',
    detail: `${message}. Restart Tondesk: it sets the damaged file aside and rescues what can be read.`,
    dismissible: false,
  })
}
