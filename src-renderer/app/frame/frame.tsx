import { type ReactNode, useEffect, useRef } from 'react'
import { RegisteredDialog } from '../features.tsx'
import { Banners } from './notices.tsx'
import { Palette } from './palette.tsx'
import { TopBar } from './top-bar.tsx'
import styles from './frame.module.css'
import { formatNumber } from '../../ui/format.ts'
import { useCurrentNetwork } from '../networks.ts'
import { useData, useDataOf } from '../bridge.ts'
import { type Route, routeHref, useRoute } from '../route.ts'
import { Icon } from '../../ui/icons.tsx'
import { classes } from '../../ui/classes.ts'
import { Text, textClasses, Kbd, Row } from '../../ui/layout.tsx'
import surface from '../../ui/surface.module.css'
import { pages, railPageOf } from './pages.ts'
import { type Shortcut, focusHeading, formatKeys, useShortcutList } from '../../ui/keyboard.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { closeOverlay, useOverlay } from './overlays.ts'

/** After a navigation from an element that is gone, the focus is on the heading of the page. */
function useFocusAfterNavigation(): void {
  const href = useRoute(({ route }) => routeHref(route))
  const shown = useRef(href)
  useEffect(() => {
    if (shown.current === href) return
    shown.current = href
    if (document.activeElement === document.body) focusHeading()
  }, [href])
}

/** Renders the navigation, the header and the banners around every page. */
export function Frame({ children }: { children: ReactNode }) {
  useFocusAfterNavigation()
  return (
    <div className={styles['frame']}>
      <a
        href="#page"
        className={styles['skip']}
        onClick={(event) => {
          // The hash is the route: the browser must not follow this link itself.
          event.preventDefault()
          document.getElementById('page')?.focus()
        }}
      >
        Skip to main content
      </a>
      <Rail />
      <TopBar />
      <main className={styles['main']}>
        <div>
          <Banners />
        </div>
        <div id="page" className={styles['page']} tabIndex={-1}>
          {children}
        </div>
      </main>
      <Palette />
      <ShortcutSheet />
      <RegisteredDialog />
    </div>
  )
}

function Rail() {
  const current = useRoute(({ route }) => railPageOf(route.page))
  const counts = useCounts()
  return (
    <nav className={styles['rail']} aria-label="Pages">
      <div className={styles['brand']}>Tondesk</div>
      <ul className={styles['pages']}>
        {pages.map(({ route, name, icon }) => (
          <li key={name} className={route.page === 'settings' ? styles['railFoot'] : undefined}>
            <a
              href={routeHref(route)}
              className={classes(surface['hover'], surface['navLink'], styles['pageLink'])}
              title={name}
              aria-current={route.page === current ? 'page' : undefined}
            >
              <Icon name={icon} />
              <span className={styles['word']}>{name}</span>
              <Count of={counts[route.page]} />
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** `what` is the counted thing, for screen readers; `isBad` is true for a failure. */
type Counted = { readonly count: number; readonly what: string; readonly isBad: boolean }

function useCounts(): { readonly [P in Route['page']]?: Counted } {
  const unread = useData('capture.counts').data?.unread ?? 0
  const network = useCurrentNetwork()
  const matters = useDataOf('invoice.counts', network && { network: network.id }).data?.matters ?? 0
  return {
    captures: { count: unread, what: 'unread', isBad: false },
    // Failing deliveries are incidents, which the button in the header counts.
    invoices: {
      count: matters,
      what: matters === 1 ? 'needs attention' : 'need attention',
      isBad: true,
    },
  }
}

function Count({ of }: { of: Counted | undefined }) {
  if (of === undefined || of.count === 0) return null
  const { count, what, isBad } = of
  return (
    <span className={classes(styles['count'], textClasses({ tone: isBad ? 'bad' : 'dim' }))}>
      {count > 99_999 ? '99k+' : formatNumber(count)}
      <Text hidden> {what}</Text>
    </span>
  )
}

/** Lists every key that works at present: those of the page first, those of the whole window last. */
function ShortcutSheet() {
  const open = useOverlay((state) => state.open === 'shortcuts')
  const locked = useShortcutList((state) => state.held)
  const groups = groupShortcuts(locked.map(({ shortcut }) => shortcut))
  return (
    <Dialog open={open} onClose={closeOverlay} title="Keyboard shortcuts" wide={groups.length > 1}>
      <div className={classes(groups.length > 1 && styles['shortcutColumns'])}>
        {groups.map(([name, shortcuts]) => (
          <section key={name} className={styles['shortcuts']}>
            <h2>{name}</h2>
            <ul>
              {shortcuts.map((shortcut) => (
                <Row as="li" justify="between" gap="l" key={shortcut.keys.join()}>
                  <Text size="s">{shortcut.label}</Text>
                  <Row as="span" gap="xs">
                    {shortcut.keys.map((spec) => (
                      <Kbd key={spec}>{formatKeys(spec)}</Kbd>
                    ))}
                  </Row>
                </Row>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

/** A key that a later shortcut replaces is shown for the later one only. */
function groupShortcuts(list: readonly Shortcut[]): [string, Shortcut[]][] {
  const taken = new Set<string>()
  const groups = new Map<string, Shortcut[]>()
  for (const shortcut of list.toReversed()) {
    const keys = shortcut.keys.filter((key) => !taken.has(key))
    for (const key of keys) taken.add(key)
    if (keys.length === 0) continue
    const group = groups.get(shortcut.group) ?? []
    groups.set(shortcut.group, [{ ...shortcut, keys }, ...group])
  }
  return [...groups]
}
