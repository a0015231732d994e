import { ownMember } from '../../base/own-member.ts';
import type { FindVeto } from './veto.ts';

const NAMES: Readonly<Record<string, string>> = {
  DISPLAY: 'a display',
  WAYLAND_DISPLAY: 'a display',
  DBUS_SESSION_BUS_ADDRESS: 'a session bus',
  PULSE_SERVER: 'an audio server',
  PIPEWIRE_REMOTE: 'an audio server',
};

/**
 * The process has a window or plays sound. /proc does not show what a Unix socket is connected to, so a connection counts if the
 * environment names a display or sound server.
 */
export const desktopVeto: FindVeto = ({ use }) => {
  if (use.localConnections === 0 || use.desktop.length === 0) return undefined;
  const services = [...new Set(use.desktop.map((name) => ownMember(NAMES, name) ?? name))].join(' or ');
  return `it has a connection to a local service, and its environment names ${services}`;
};
