import type { AppContext } from '../app/context.ts'
import { createHttp } from '../gateway/http.ts'
import type { RegisteredSecrets } from '../secrets/register.ts'
import { createAlertRoutes, withSecrets } from './alert-routes.ts'
import { createAlerts } from './alerts.ts'
import { createPrograms } from './programs.ts'
import { type Post, createSendAlert } from './senders.ts'
import { createAlertStore } from './store/alerts.ts'

export function registerAlerts(
  context: AppContext,
  { secrets, onReload }: RegisteredSecrets,
  {
    demandTarget,
    post,
  }: {
    readonly demandTarget: (url: string) => Promise<unknown>
    readonly post: Post
  },
) {
  const { database, events, networks, notices, now, proxyFor, resources, wait } = context
  const log = context.log.scope('alerts')
  const http = createHttp({ proxyFor })
  resources.use(http)
  const store = createAlertStore(database)
  const programs = createPrograms(context, store.destinations())
  const send = withSecrets(createSendAlert({ http, now, mayStart: programs.has, post }), secrets)
  const alerts = createAlerts({
    store,
    send,
    notices,
    now,
    wait,
    networkName: (id) => networks.state().networks.find((each) => each.id === id)?.name ?? id,
    onBug: (error) => log.failure('alerts', error),
    onChanged: () => events.emit('alert.changed', {}),
  })
  resources.defer(() => alerts.stop())
  onReload(() => {
    alerts.retryNow()
    return Promise.resolve()
  })
  events.on('captures.writable', ({ problem }) => alerts.setBlocked(problem !== null))
  events.on('incident.opened', (incident) => alerts.report('opened', incident))
  events.on('incident.grown', (incident) => alerts.report('grown', incident))
  events.on('incident.closed', (incident) => alerts.report('closed', incident))

  return {
    handlers: createAlertRoutes({ alerts, store, secrets, programs, send, now, demandTarget }),
    start: () => alerts.start(),
  }
}
