package localpg

// settings are the server's, as arguments; they override the cluster's own files.
func (c cluster) settings(at socket) []string {
	settings := []string{
		"port=5432", // only part of the socket's name; nothing listens on TCP
		"listen_addresses=",
		"unix_socket_directories=" + at.name,
		"unix_socket_permissions=0700",
		"timezone=UTC",
		"log_timezone=UTC",
		// For a small machine with short transactions.
		"shared_buffers=128MB",
		"max_wal_size=512MB",
		"max_parallel_workers_per_gather=0",
		"jit=off",
		"max_logical_replication_workers=0",
		// Errors and their statements hold personal data.
		"log_error_verbosity=terse",
		"log_min_messages=log", // errors are sent only to their client
		"log_min_error_statement=panic",
		"log_statement=none",
		"log_checkpoints=off",
	}
	if c.replicated {
		settings = append(settings, "wal_level=replica", "max_wal_senders=4")
	} else {
		settings = append(settings, "wal_level=minimal", "max_wal_senders=0")
	}
	if c.volatile {
		settings = append(settings, "max_connections=500", "fsync=off", "full_page_writes=off",
			"synchronous_commit=off",
			"dynamic_shared_memory_type=mmap") // in the folder, which is removed
	} else {
		settings = append(settings, "max_connections=100", "fsync=on", "full_page_writes=on", "synchronous_commit=on")
	}
	args := make([]string, 0, 2*len(settings))
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	return args
}
