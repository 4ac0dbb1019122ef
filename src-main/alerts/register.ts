import type { AppContext } from '../app/context.ts'
import { type OwnPlaces, createGuard, resolveBySystem } from '../delivery/sender/guard.ts'
import { createSender } from '../delivery/sender/sender.ts'
import { createConfirmedHosts } from '../delivery/store/confirmed-hosts.ts'
import { createHttp } from '../gateway/http.ts'
import type { RegisteredSecrets } from '../secrets/register.ts'
import { createAlertRoutes, withSecrets } from './alert-routes.ts'
import { createAlerts } from './alerts.ts'
import { createPrograms } from './programs.ts'
import { createSendAlert } from './senders.ts'
import { createAlertStore } from './store/alerts.ts'

const keptResponseBytes = 1024

export function registerAlerts(
  context: AppContext,
  { secrets, onReload }: RegisteredSecrets,
  own: () => OwnPlaces,
) {
  const { database, events, networks, notices, now, proxyFor, resources, wait } = context
  const log = context.log.scope('alerts')
  const http = createHttp({ proxyFor })
  resources.use(http)
  // The send thread confirms and revokes hosts, so each check reads them from the database.
  const isConfirmed = (host: string) => createConfirmedHosts(database).has(host)
  const guard = createGuard({ resolve: resolveBySystem, own, isConfirmed })

  const store = createAlertStore(database)
  const programs = createPrograms(context, store.destinations())
  const send = withSecrets(
    createSendAlert({
      http,
      now,
      mayStart: programs.has,
      async post(url, headers, body, timeoutMs, signal) {
        const sender = createSender(guard)
        try {
          const request = { method: 'POST', headers, body: Buffer.from(body) }
          return await sender.send(request, url, {
            ...{ timeoutMs, signal, keepHost: false, subpath: null, extraHeaders: [] },
            keepBytes: keptResponseBytes,
          })
        } finally {
          await sender.close()
        }
      },
    }),
    secrets,
  )
  const alerts = createAlerts({
    ...{ store, send, notices, now, wait },
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
    handlers: createAlertRoutes({
      ...{ alerts, store, secrets, programs, send, now },
      demandTarget: (url) => guard.demand(url),
    }),
    start: () => alerts.start(),
  }
}
