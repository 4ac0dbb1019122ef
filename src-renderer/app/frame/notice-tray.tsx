import { Popover } from '@base-ui/react/popover'
import { type ReactNode, useEffect, useState } from 'react'
import type { Notice } from '../../../src-preload/contract/app.ts'
import type { Incident } from '../../../src-preload/contract/incident.ts'
import { NetworkTag } from '../../components/network-tag.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { formatAbsolute, formatCount, formatDuration, fromMs } from '../../ui/format.ts'
import { Row, Stack, Text } from '../../ui/layout.tsx'
import { Moment, useNow } from '../../ui/time.tsx'
import surface from '../../ui/surface.module.css'
import { reload, useData, useDataOf } from '../bridge.ts'
import { useOpenIncidents } from '../incidents.ts'
import { useCurrentNetwork } from '../networks.ts'
import { routeHref } from '../route.ts'
import { dismissNotice, sortNotices } from '../notices.ts'
import styles from './frame.module.css'
import { CauseLink, NoticeLink, SnoozeMenu, describeCause, noticeTones } from './notices.tsx'
import { closeOverlay, openNoticeTray, useOverlay } from './overlays.ts'

/** Renders a button with the number of problems, which opens incidents, notices and the history. */
export function NoticeTray() {
  const isOpen = useOverlay(({ open }) => open === 'notices')
  const notices = sortNotices(useData('notice.list').data ?? [])
  // The main process drops a notice whose cause is gone when the list is requested.
  useEffect(() => {
    const timer = setInterval(() => reload('notice.list'), 60_000)
    return () => clearInterval(timer)
  }, [])
  const { here, elsewhere } = useOpenIncidents()
  const awake = here.filter(({ snoozedUntil }) => snoozedUntil === null)
  const count = awake.length + notices.length
  const isGrave = awake.length > 0 || notices.some(({ level }) => level !== 'info')
  return (
    <Popover.Root open={isOpen} onOpenChange={(open) => (open ? openNoticeTray() : closeOverlay())}>
      <Popover.Trigger
        render={
          <Button kind={isGrave ? 'danger' : 'quiet'} icon={isGrave ? 'warning' : 'info'}>
            {count === 0 ? 'Notices' : formatCount(count, 'notice')}
          </Button>
        }
      />
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end">
          <Popover.Popup className={classes(surface['raised'], styles['tray'])}>
            <Popover.Title className={styles['trayHead']}>Notices</Popover.Title>
            <ul>
              {here.map((incident) => (
                <OpenIncident key={incident.id} incident={incident} />
              ))}
              {notices.map((notice) => (
                <NoticeItem key={notice.id} notice={notice} />
              ))}
              {elsewhere.map((incident) => (
                <OpenIncident key={incident.id} incident={incident} />
              ))}
            </ul>
            {here.length + notices.length + elsewhere.length === 0 && (
              <p className={styles['trayHead']}>
                <Text tone="dim">Nothing is wrong at present.</Text>
              </p>
            )}
            <History />
            <a
              className={styles['trayHead']}
              href={routeHref({ page: 'jobs' })}
              onClick={closeOverlay}
            >
              Replays and other jobs
            </a>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

function Item({
  tone,
  title,
  detail,
  facts,
  end,
}: {
  tone: 'bad' | 'warn' | undefined
  title: string
  detail: string
  facts: ReactNode
  end?: ReactNode
}) {
  return (
    <li className={styles['notice']}>
      <Stack gap="none">
        <Text as="p" tone={tone} strong over="break">
          {title}
        </Text>
        <Text as="p" tone="dim" over="break">
          {detail}
        </Text>
        <Row gap="l" wrap>
          {facts}
        </Row>
      </Stack>
      {end}
    </li>
  )
}

function OpenIncident({ incident }: { incident: Incident }) {
  const { network, level, title, openedAt, count, snoozedUntil } = incident
  const now = useNow()
  return (
    <Item
      tone={snoozedUntil === null ? noticeTones[level] : undefined}
      title={title}
      detail={describeCause(incident)}
      facts={
        <>
          {network !== null && <NetworkTag id={network} />}
          <Text tone="faint">
            Since <Moment at={fromMs(openedAt)} absolute="minute" />
            {count > 1 && `, ${formatCount(count, 'failure')}`}
          </Text>
          {snoozedUntil !== null && (
            <Text tone="faint">
              Snoozed until{' '}
              {snoozedUntil === 'fixed' ? 'fixed' : formatAbsolute(fromMs(snoozedUntil), now)}
            </Text>
          )}
          <CauseLink incident={incident} onFollow={closeOverlay} />
        </>
      }
      end={<SnoozeMenu incident={incident} />}
    />
  )
}

function NoticeItem({ notice }: { notice: Notice }) {
  const { id, level, title, detail, raisedAt, dismissible } = notice
  return (
    <Item
      tone={noticeTones[level]}
      title={title}
      detail={detail}
      facts={
        <>
          <Text tone="faint">
            <Moment at={fromMs(raisedAt)} />
          </Text>
          <NoticeLink notice={notice} onFollow={closeOverlay} />
        </>
      }
      end={
        dismissible && (
          <IconButton
            icon="close"
            label={`Dismiss: ${title}`}
            onClick={() => void dismissNotice(id)}
          />
        )
      }
    />
  )
}

const pageRows = 10
const maxRows = 500

/** Lists ended incidents of the selected network and of the whole app. */
function History() {
  const [limit, setLimit] = useState(pageRows)
  const network = useCurrentNetwork()?.id
  const { data } = useDataOf(
    'incident.list',
    network === undefined ? null : { network, open: false, offset: 0, limit },
  )
  if (data === undefined || data.total === 0) return null
  return (
    <>
      <h2 className={styles['trayHead']}>History</h2>
      <ul>
        {data.incidents.map((incident) => (
          <Item
            key={incident.id}
            tone={undefined}
            title={incident.title}
            detail={incident.cause}
            facts={
              <Text tone="faint">
                Began <Moment at={fromMs(incident.openedAt)} absolute="minute" />
                {`, ${describeLength(incident)}`}
              </Text>
            }
          />
        ))}
      </ul>
      {data.total > limit && limit < maxRows && (
        <Row justify="end">
          <Button kind="quiet" onClick={() => setLimit(Math.min(maxRows, limit * 5))}>
            Show more
          </Button>
        </Row>
      )}
    </>
  )
}

function describeLength({ openedAt, closedAt, wellSince, count }: Incident): string {
  const end = wellSince ?? closedAt ?? openedAt
  const lasted = `lasted ${formatDuration(fromMs(Math.max(1000, end - openedAt)))}`
  return count > 1 ? `${lasted}, ${formatCount(count, 'failure')}` : lasted
}
