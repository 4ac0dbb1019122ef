import { Popover } from '@base-ui/react/popover'
import { useState } from 'react'
import type { Notice } from '../../../src-preload/contract/app.ts'
import { formatCount, fromMs } from '../../ui/format.ts'
import { Moment } from '../../ui/layout.tsx'
import { useData } from '../bridge.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import text from '../../ui/text.module.css'
import { dismissNotice, sortNotices } from '../notices.ts'
import { PlaceLink } from './place-link.tsx'
import styles from './notice-tray.module.css'

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
          <Popover.Popup className={styles['popup']}>
            <Popover.Title className={styles['head']}>Notices</Popover.Title>
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
    <li className={styles['item']}>
      <p className={classes(styles['title'], styles[notice.level])}>{notice.title}</p>
      {notice.dismissible ? (
        <IconButton
          icon="close"
          label={`Dismiss: ${notice.title}`}
          onClick={() => void dismissNotice(notice.id)}
        />
      ) : (
        <span />
      )}
      <p className={styles['detail']}>{notice.detail}</p>
      <p className={classes(styles['detail'], styles['foot'], text['faint'])}>
        <Moment at={fromMs(notice.raisedAt)} />
        <PlaceLink notice={notice} onFollow={onFollow} />
      </p>
    </li>
  )
}
