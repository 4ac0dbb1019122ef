import { formatNumber } from '../../format.ts'
import { useResource, valueOf } from '../../resource.ts'
import type { Route } from '../../route.ts'
import { emptyQuery, printRoute, useRoute } from '../../route.ts'
import type { IconName } from '../../ui/icons.tsx'
import { Icon } from '../../ui/icons.tsx'
import text from '../../ui/text.module.css'
import { captureCounts } from '../capture-counts.ts'
import styles from './rail.module.css'

export function Rail() {
  const page = useRoute((state) => state.route.page)
  const unread = valueOf(useResource(captureCounts))?.unread ?? 0
  const inspector: Route = { page: 'inspector', captureId: null, query: emptyQuery }
  return (
    <nav className={styles['rail']} aria-label="Pages">
      <div className={styles['brand']}>Tondesk</div>
      <ul className={styles['list']}>
        <Entry route={{ page: 'overview' }} word="Overview" current={page} icon="overview" />
        <Entry route={inspector} word="Inspector" current={page} icon="inspector" unread={unread} />
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
  unread = 0,
  foot = false,
}: {
  route: Route
  word: string
  current: Route['page']
  icon: IconName
  unread?: number
  foot?: boolean
}) {
  return (
    <li className={foot ? styles['foot'] : undefined}>
      <a
        href={printRoute(route)}
        className={styles['link']}
        title={word}
        aria-current={route.page === current ? 'page' : undefined}
      >
        <Icon name={icon} />
        <span className={styles['word']}>{word}</span>
        {unread > 0 && (
          <span className={styles['count']}>
            {unread > 99_999 ? '99k+' : formatNumber(unread)}
            <span className={text['hidden']}> unread</span>
          </span>
        )}
      </a>
    </li>
  )
}
