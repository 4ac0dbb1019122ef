import type { ReplaySending } from '../../../../src-preload/contract/replay.ts'
import { formatNumber } from '../../../ui/format.ts'
import { Moment } from '../../../ui/moment.tsx'
import { captureHref } from '../../../app/route.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import table from '../../../ui/table.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { AnswerContent, AnswerLine } from '../targets/answer-view.tsx'
import { openReplay } from './replay-dialog-state.ts'
import styles from './replays.module.css'

export function SendingRow({
  sending,
  isOpen,
  onOpen,
}: {
  sending: ReplaySending
  isOpen: boolean
  onOpen: (open: boolean) => void
}) {
  const { index, capture, at, answer, target, again } = sending
  return (
    <>
      <tr>
        <td className={table['number']}>
          <span className={styles['opener']}>
            <IconButton
              icon={isOpen ? 'down' : 'right'}
              label={`Answer of no. ${formatNumber(index + 1)}`}
              aria-expanded={isOpen}
              onClick={() => onOpen(!isOpen)}
            />
            {formatNumber(index + 1)}
          </span>
        </td>
        <td>
          <a href={captureHref(capture)}>{capture}</a>
        </td>
        <td className={styles['answerCell']}>
          <AnswerLine answer={answer} /> {again && <Tag tone="warn">perhaps twice</Tag>}
        </td>
        <td className={text['dim']}>
          <Moment at={at} />
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={4} className={styles['answer']}>
            {again && (
              <p className={styles['remark']}>
                It was under way when Tondesk ended: the target may have had it before, with the
                same X-Tondesk-Replay.
              </p>
            )}
            <AnswerContent answer={answer} />
            <p>
              <Button
                icon="play"
                onClick={() => openReplay({ kind: 'captures', ids: [capture] }, { target })}
              >
                Replay capture {capture}…
              </Button>
            </p>
          </td>
        </tr>
      )}
    </>
  )
}
