"""What is computed of files of labels and scores from the shell, where nothing is stored."""
