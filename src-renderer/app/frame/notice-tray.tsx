import { Popover } from '@base-ui/react/popover'
import { useState } from 'react'
import type { Notice } from '../../../src-preload/contract/app.ts'
import { formatCount, fromMs } from '../../ui/format.ts'
import { Moment, Row, Stack, Text } from '../../ui/layout.tsx'
import { useData } from '../bridge.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import surface from '../../ui/surface.module.css'
import { dismissNotice, sortNotices } from '../notices.ts'
import { noticeTones } from './banner.tsx'
import { PlaceLink } from './place-link.tsx'
import styles from './frame.module.css'

/** All there is to know right now. Without notices there is no button. */
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
