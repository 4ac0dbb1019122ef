import { type ReactNode, useState } from 'react'
import type { Notice } from '../../../src-preload/contract/app.ts'
import { classes } from '../../ui/classes.ts'
import { Icon } from '../../ui/icons.tsx'
import { Moment, Row, Stack, Text } from '../../ui/layout.tsx'
import grounds from '../../ui/layout.module.css'
import styles from './frame.module.css'
import { retryConnection, useConnection, useData } from '../bridge.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { RegisteredBanners } from '../features.tsx'
import { bannersOf, dismissNotice, placeOf, sortNotices } from '../notices.ts'
import { Popover } from '@base-ui/react/popover'
import { formatCount, fromMs } from '../../ui/format.ts'
import surface from '../../ui/surface.module.css'

const noticeTones = { alarm: 'bad', warning: 'warn', info: undefined } as const

/** A message across the window, until its cause is gone. */
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
  /** In one line. The page behind its link and the tray show the whole text. */
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

/** More than these would push the page away; the rest is in the tray. */
const most = 2

export function Banners() {
  const status = useConnection((state) => state.status)
  const grave = bannersOf(useData('notice.list').data ?? []).slice(0, most)
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
      {grave.map((notice) => (
        <Banner
          key={notice.id}
          level={notice.level}
          title={notice.title}
          detail={notice.detail}
          isShort={placeOf(notice) !== null}
          end={
            <>
              <PlaceLink notice={notice} />
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
      ))}
    </>
  )
}

/** A button that lists all notices. Without notices there is none. */
export function NoticeTray() {
  const [isOpen, setOpen] = useState(false)
  const list = sortNotices(useData('notice.list').data ?? [])
  if (list.length === 0) return null
  const grave = list.some(({ level }) => level !== 'info')
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger
        render={
          <Button kind={grave ? 'danger' : 'plain'} icon={grave ? 'warning' : 'info'}>
            {formatCount(list.length, 'notice')}
          </Button>
        }
      />
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end">
          <Popover.Popup className={classes(surface['raised'], styles['tray'])}>
            <Popover.Title className={styles['trayHead']}>Notices</Popover.Title>
            <ul>
              {list.map((notice) => (
                <Item key={notice.id} notice={notice} onFollow={() => setOpen(false)} />
              ))}
            </ul>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

function Item({ notice, onFollow }: { notice: Notice; onFollow: () => void }) {
  return (
    <li className={styles['notice']}>
      <Stack gap="none">
        <Text as="p" tone={noticeTones[notice.level]} strong>
          {notice.title}
        </Text>
        <Text as="p" tone="dim" over="break">
          {notice.detail}
        </Text>
        <Row gap="l">
          <Text tone="faint">
            <Moment at={fromMs(notice.raisedAt)} />
          </Text>
          <PlaceLink notice={notice} onFollow={onFollow} />
        </Row>
      </Stack>
      {notice.dismissible && (
        <IconButton
          icon="close"
          label={`Dismiss: ${notice.title}`}
          onClick={() => void dismissNotice(notice.id)}
        />
      )}
    </li>
  )
}

/** A link from a notice to its webhook or page, if it has one. */
function PlaceLink({ notice, onFollow }: { notice: Notice; onFollow?: () => void }) {
  const place = placeOf(notice)
  if (place === null) return null
  return (
    <Text as="a" over="cut" href={place.href} onClick={onFollow}>
      {place.label}
    </Text>
  )
}
