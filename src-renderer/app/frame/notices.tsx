import type { ReactNode } from 'react'
import type { Notice } from '../../../src-preload/contract/app.ts'
import type { Incident } from '../../../src-preload/contract/incident.ts'
import { incidentHash } from '../../../src-preload/domain/incident-links.ts'
import { Button, IconButton, Menu, menuItem } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Icon } from '../../ui/icons.tsx'
import { Row, Text } from '../../ui/layout.tsx'
import { awaitHeading } from '../../ui/keyboard.ts'
import grounds from '../../ui/layout.module.css'
import { retryConnection, useConnection, useData } from '../bridge.ts'
import { RegisteredBanners } from '../features.tsx'
import { snoozeIncident, useOpenIncidents } from '../incidents.ts'
import { useCurrentNetwork } from '../networks.ts'
import { bannersOf, dismissNotice, linkOfNotice } from '../notices.ts'
import { routeHref, useRoute } from '../route.ts'
import styles from './frame.module.css'
import { openNoticeTray } from './overlays.ts'

export const noticeTones = { alarm: 'bad', warning: 'warn', info: undefined } as const

/** Renders a message across the window until its cause has ended. */
export function Banner({
  level,
  title,
  detail,
  isShort = false,
  end,
}: {
  level: Notice['level']
  title: string
  detail: string
  /** Cuts the message to one line; the linked page and the tray show the whole text. */
  isShort?: boolean
  end: ReactNode
}) {
  const tone = noticeTones[level]
  return (
    <div
      className={classes(styles['banner'], tone !== undefined && grounds[tone])}
      role={level === 'alarm' ? 'alert' : 'status'}
    >
      <Row>
        <Text tone={tone}>
          <Icon name="warning" />
        </Text>
        <Text as="p" size="s" over={isShort ? 'cut' : 'break'} title={isShort ? detail : undefined}>
          <Text tone={tone} strong>
            {endSentence(title)}
          </Text>{' '}
          {detail}
        </Text>
        <Row gap="xs" last>
          {end}
        </Row>
      </Row>
    </div>
  )
}

function endSentence(text: string): string {
  return /[.!?:]$/.test(text) ? text : `${text}.`
}

/** Only a few banners are shown, because more would push the page away; the tray has the rest. */
export function Banners() {
  const status = useConnection((state) => state.status)
  const network = useCurrentNetwork()?.id
  // Its inbox lists the incidents and the missed events, with their actions.
  const isOverview = useRoute(({ route }) => route.page === 'overview')
  const here = useRoute(({ route }) => routeHref(route))
  const [notice] = bannersOf(useData('notice.list').data ?? [], network, isOverview)
  const awake = useOpenIncidents().here.filter(({ snoozedUntil }) => snoozedUntil === null)
  // The page of its cause says what an incident is about.
  const isShown = (each: Incident) => here.startsWith(incidentHash(each).split('?')[0] ?? '')
  const [incident] = isOverview ? [] : awake.filter((each) => !isShown(each))
  return (
    <>
      {status === 'lost' && (
        <Banner
          level="alarm"
          title="The connection to Tondesk is lost."
          detail="The data shown may be outdated. Reconnecting…"
          end={<Button onClick={retryConnection}>Try now</Button>}
        />
      )}
      <RegisteredBanners />
      {incident !== undefined && <IncidentBanner incident={incident} others={awake.length - 1} />}
      {notice !== undefined && (
        <Banner
          key={notice.id}
          level={notice.level}
          title={notice.title}
          detail={notice.detail}
          isShort={linkOfNotice(notice) !== null}
          end={
            <>
              <NoticeLink notice={notice} />
              {notice.dismissible && (
                <IconButton
                  icon="close"
                  label={`Dismiss: ${notice.title}`}
                  onClick={() => void dismissNotice(notice.id)}
                />
              )}
            </>
          }
        />
      )}
    </>
  )
}

function IncidentBanner({ incident, others }: { incident: Incident; others: number }) {
  return (
    <Banner
      key={incident.id}
      level={incident.level}
      title={incident.title}
      detail={describeCause(incident)}
      isShort
      end={
        <>
          {others > 0 && (
            <Button kind="quiet" onClick={openNoticeTray}>
              {others} more
            </Button>
          )}
          <CauseLink incident={incident} />
          <SnoozeMenu incident={incident} />
        </>
      }
    />
  )
}

export function describeCause({ wellSince, closedAt, cause, nextStep }: Incident): string {
  const isRecovering = wellSince !== null && closedAt === null
  if (isRecovering) return 'No failure at present. The incident ends when this lasts.'
  return `${cause} ${nextStep}`.trim()
}

export function CauseLink({ incident, onFollow }: { incident: Incident; onFollow?: () => void }) {
  const href = incidentHash(incident)
  const follow = () => {
    onFollow?.()
    awaitHeading(href)
  }
  return (
    <Text as="a" over="nowrap" href={href} onClick={follow}>
      Show cause
    </Text>
  )
}

/** Hides an incident above the pages; the tray still shows it. */
export function SnoozeMenu({ incident }: { incident: Incident }) {
  const snooze = (until: 'hour' | 'day' | 'fixed') => () => void snoozeIncident(incident, until)
  if (incident.snoozedUntil !== null) {
    return (
      <Button kind="quiet" onClick={() => void snoozeIncident(incident, null)}>
        End snooze
      </Button>
    )
  }
  return (
    <Menu
      trigger={
        <Button kind="quiet" icon="clock">
          Snooze
        </Button>
      }
      items={[
        menuItem('For 1 hour', {}, snooze('hour')),
        menuItem('For 24 hours', {}, snooze('day')),
        menuItem('Until fixed', {}, snooze('fixed')),
      ]}
    />
  )
}

/** Links a notice to its webhook or page, if it has one. */
export function NoticeLink({ notice, onFollow }: { notice: Notice; onFollow?: () => void }) {
  const place = linkOfNotice(notice)
  if (place === null) return null
  return (
    <Text as="a" over="cut" href={place.href} onClick={onFollow}>
      {place.label}
    </Text>
  )
}
