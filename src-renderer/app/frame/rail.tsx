import { formatNumber } from '../../ui/format.ts'
import { accountsHome, transactionsHome } from '../chain-route.ts'
import { invoicesHome } from '../invoices-route.ts'
import { useCurrentNetwork } from '../networks.ts'
import { useData, useDataOf } from '../bridge.ts'
import { webhooksHome } from '../webhooks-route.ts'
import { type Route, emptyQuery, printRoute, sandboxHome, useRoute } from '../route.ts'
import { type IconName, Icon } from '../../ui/icons.tsx'
import { classes } from '../../ui/classes.ts'
import { Text, textClasses } from '../../ui/layout.tsx'
import surface from '../../ui/surface.module.css'
import { countFailing } from '../sandbox-state.ts'
import { useFailingAccounts } from '../webhooks.ts'
import styles from './frame.module.css'

export function Rail() {
  // What is done with captures belongs to the inspector.
  const page = useRoute(({ route }) => (route.page === 'workbench' ? 'inspector' : route.page))
  const unread = useData('capture.counts').data?.unread ?? 0
  const failing = countFailing(useData('sandbox.state').data)
  const unreached = useFailingAccounts()
  const network = useCurrentNetwork()
  const invoices = useDataOf('invoice.counts', network && { network: network.id }).data
  const matters = invoices?.matters ?? 0
  const inspector: Route = { page: 'inspector', captureId: null, query: emptyQuery }
  return (
    <nav className={styles['rail']} aria-label="Pages">
      <div className={styles['brand']}>Tondesk</div>
      <ul className={styles['pages']}>
        <Entry route={{ page: 'overview' }} word="Overview" current={page} icon="overview" />
        <Entry
          route={inspector}
          word="Inspector"
          current={page}
          icon="inspector"
          count={[unread, 'unread']}
        />
        <Entry
          route={webhooksHome}
          word="Webhooks"
          current={page}
          icon="webhooks"
          count={[unreached, unreached === 1 ? 'account failing' : 'accounts failing']}
          bad
        />
        <Entry route={transactionsHome} word="Explorer" current={page} icon="transactions" />
        <Entry route={accountsHome} word="Accounts" current={page} icon="accounts" />
        <Entry
          route={invoicesHome}
          word="Invoices"
          current={page}
          icon="invoices"
          count={[matters, matters === 1 ? 'needs attention' : 'need attention']}
          bad
        />
        <Entry
          route={sandboxHome}
          word="Sandbox"
          current={page}
          icon="sandbox"
          count={[failing, failing === 1 ? 'delivery failing' : 'deliveries failing']}
          bad
        />
        <Entry
          route={{ page: 'settings', section: null }}
          word="Settings"
          current={page}
          icon="settings"
          foot
        />
      </ul>
    </nav>
  )
}

function Entry({
  route,
  word,
  current,
  icon,
  count: [count, counted] = [0, ''],
  bad = false,
  foot = false,
}: {
  route: Route
  word: string
  current: Route['page']
  icon: IconName
  /** A number and what it counts, for those who do not see where it stands. */
  count?: readonly [count: number, what: string]
  /** It counts what is wrong. */
  bad?: boolean
  foot?: boolean
}) {
  return (
    <li className={foot ? styles['railFoot'] : undefined}>
      <a
        href={printRoute(route)}
        className={classes(surface['hover'], surface['navLink'], styles['pageLink'])}
        title={word}
        aria-current={route.page === current ? 'page' : undefined}
      >
        <Icon name={icon} />
        <span className={styles['word']}>{word}</span>
        {count > 0 && (
          <span className={classes(styles['count'], textClasses({ tone: bad ? 'bad' : 'dim' }))}>
            {count > 99_999 ? '99k+' : formatNumber(count)}
            <Text hidden> {counted}</Text>
          </span>
        )}
      </a>
    </li>
  )
}
