import type { ReactNode } from 'react'

/** The path of each icon in a square of 16 pixels, or its elements if a path is not enough. */
const shapes = {
  overview: 'M2 2h5v6h-5zM9 2h5v3.5h-5zM2 10h5v4h-5zM9 8h5v6h-5z',
  inspector: 'M2 4h12M2 8h8M2 12h5M10 11a2 2 0 1 0 4 0a2 2 0 1 0 -4 0zM13.5 12.5l1.3 1.3',
  webhooks:
    'M5.7 4.5a2.3 2.3 0 1 0 4.6 0a2.3 2.3 0 1 0 -4.6 0zM1.7 11.5a2.3 2.3 0 1 0 4.6 0a2.3 2.3 0 1 0 -4.6 0zM9.7 11.5a2.3 2.3 0 1 0 4.6 0a2.3 2.3 0 1 0 -4.6 0zM7 6.6 5.1 9.5M6.3 11.5h3.4M9 6.6l1.9 2.9',
  transactions: 'M2 5h11M10 2l3 3-3 3M14 11H3M6 8l-3 3 3 3',
  accounts:
    'M5.3 5a2.7 2.7 0 1 0 5.4 0a2.7 2.7 0 1 0 -5.4 0zM2.8 14c.5-3.2 2.5-4.8 5.2-4.8s4.7 1.6 5.2 4.8',
  invoices: 'M3.5 1.8h9v12.4l-1.8-1.2-1.3 1.2L8 13l-1.4 1.2L5.3 13l-1.8 1.2zM6 5.2h4M6 8h4',
  sandbox: 'M8 1.8 13.5 5v6L8 14.2 2.5 11V5zM2.5 5 8 8.2 13.5 5M8 8.2v6',
  send: 'M14 2 7 9M14 2 9.5 14 7 9 2 6.5z',
  clock: 'M2 8a6 6 0 1 0 12 0a6 6 0 1 0 -12 0zM8 4.5V8l2.5 1.5',
  drop: 'M8 2c2.5 3 4 5 4 7a4 4 0 0 1-8 0c0-2 1.5-4 4-7z',
  camera: 'M2 5h3l1-1.5h4L11 5h3v8H2zM5.7 9a2.3 2.3 0 1 0 4.6 0a2.3 2.3 0 1 0 -4.6 0z',
  settings:
    'M5.7 8a2.3 2.3 0 1 0 4.6 0a2.3 2.3 0 1 0 -4.6 0zM8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6 5 5M11 11l1.4 1.4M3.6 12.4 5 11M11 5l1.4-1.4',
  search: 'M2.8 7a4.2 4.2 0 1 0 8.4 0a4.2 4.2 0 1 0 -8.4 0zM10.2 10.2l3.3 3.3',
  link: 'M6.7 9.3a2.8 2.8 0 0 0 4 0l2.3-2.3a2.8 2.8 0 0 0-4-4L8 4M9.3 6.7a2.8 2.8 0 0 0-4 0L3 9a2.8 2.8 0 0 0 4 4l1-1',
  copy: 'M6.7 5.5h5.6a1.2 1.2 0 0 1 1.2 1.2v5.6a1.2 1.2 0 0 1 -1.2 1.2h-5.6a1.2 1.2 0 0 1 -1.2 -1.2v-5.6a1.2 1.2 0 0 1 1.2 -1.2zM10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2',
  check: 'm3 8.5 3.2 3.2L13 5',
  close: 'm4 4 8 8M12 4l-8 8',
  down: 'm4.5 6.5 3.5 3.5 3.5-3.5',
  up: 'm4.5 9.5 3.5-3.5 3.5 3.5',
  right: 'm6.5 4.5 3.5 3.5-3.5 3.5',
  left: 'M9.5 4.5 6 8l3.5 3.5',
  warning: 'M8 2.3 14.3 13H1.7zM8 6.5v3M8 11.3v.1',
  info: 'M2 8a6 6 0 1 0 12 0a6 6 0 1 0 -12 0zM8 7.3v3.7M8 5v.1',
  pin: 'M6 2h4l-.5 4.5 2.5 2.5H4l2.5-2.5zM8 9v5',
  note: 'M3 2.5h10v7.5l-3.5 3.5H3zM9.5 13.5V10H13M5.5 5.5h5M5.5 8h3',
  trash: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.6 9h6.8l.6-9M6.7 7v4M9.3 7v4',
  plus: 'M8 3v10M3 8h10',
  more: <path d="M3.5 8h.1M8 8h.1M12.5 8h.1" strokeWidth="2" />,
  refresh: 'M13 8a5 5 0 1 1-1.5-3.6M13 2.5v3h-3',
  play: 'M5 3v10l8-5z',
  pause: <path d="M5.5 3.5v9M10.5 3.5v9" strokeWidth="2" />,
  stop: 'M5 4h6a1 1 0 0 1 1 1v6a1 1 0 0 1 -1 1h-6a1 1 0 0 1 -1 -1v-6a1 1 0 0 1 1 -1z',
  key: 'M2.5 11a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0zM6.8 9.2l6-6M10.5 5.5l2 2',
  theme: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 2.5v11a5.5 5.5 0 0 0 0-11z" fill="currentColor" />
    </>
  ),
  keyboard:
    'M2.7 4h10.6a1.2 1.2 0 0 1 1.2 1.2v6.1a1.2 1.2 0 0 1 -1.2 1.2h-10.6a1.2 1.2 0 0 1 -1.2 -1.2v-6.1a1.2 1.2 0 0 1 1.2 -1.2zM4 6.8h.1M6.7 6.8h.1M9.3 6.8h.1M12 6.8h.1M5 10h6',
  eye: 'M1.5 8C3 5.2 5.3 3.8 8 3.8S13 5.2 14.5 8C13 10.8 10.7 12.2 8 12.2S3 10.8 1.5 8zM6.1 8a1.9 1.9 0 1 0 3.8 0a1.9 1.9 0 1 0 -3.8 0z',
  terminal: 'm2.5 4 4 4-4 4M8 12.5h5.5',
  download: 'M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11',
  upload: 'M8 10.5V2.5M4.5 6 8 2.5 11.5 6M2.5 13.5h11',
  table: 'M2 3h12v10H2zM2 6.5h12M2 9.8h12M6.5 6.5V13',
  star: 'M8 1.9l1.9 3.9 4.2.6-3 3 .7 4.2L8 11.6l-3.8 2 .7-4.2-3-3 4.2-.6z',
  starred: (
    <path
      fill="currentColor"
      d="M8 1.9l1.9 3.9 4.2.6-3 3 .7 4.2L8 11.6l-3.8 2 .7-4.2-3-3 4.2-.6z"
    />
  ),
  window: 'M2 5.5v8h8M5 2.5h9v8H5zM5 5h9',
  print: 'M4.5 6V2h7v4M4.5 11.5H2.5V6h11v5.5h-2M4.5 9.5h7V14h-7z',
  undo: 'M5.5 3 2.5 6l3 3M2.5 6H10a3.5 3.5 0 0 1 0 7H6',
} satisfies Record<string, ReactNode>

export type IconName = keyof typeof shapes

/** An icon beside a word, hidden from screen readers; it never replaces a name. */
export function Icon({ name, size = 15 }: { name: IconName; size?: number }) {
  const shape = shapes[name]
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {typeof shape === 'string' ? <path d={shape} /> : shape}
    </svg>
  )
}
